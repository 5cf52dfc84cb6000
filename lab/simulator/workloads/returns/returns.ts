/**
 * Tenants use Macs of the simulated cloud and leave their files on them; a keeper wipes the Macs and offers them again,
 * while others are rented, renamed and taken away. It tries the cloud, the port to it and its faults, with a process that
 * is much smaller than a controller.
 */
import { Cloud } from '../../../clouds/scaleway/cloud.ts';
import { CloudService } from '../../../clouds/scaleway/service.ts';
import { worldProvider } from '../../../clouds/scaleway/world-provider.ts';
import type { Mac } from '../../../clouds/scaleway/mac.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import { oneOf } from '../../engine/random-streams.ts';
import type { Scenario, ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { Keeper, poolPrefix, usedPrefix } from './keeper.ts';

const zones = ['fr-par-1', 'fr-par-3'] as const;
const project = '11111111-2222-4333-8444-555555555555';
const type = 'M2-L';
const changesPerHour = 12;
/** Longer than any request is late, so that no rename of before lands on what a tenant uses. */
const restMs = 3_600_000;
/** A new server may not be on the listing for this long. */
const lagMaxMs = 60_000;

export const returns: Scenario = {
  name: 'returns',
  says: 'used Macs are wiped before they are offered again, and no listing misses one',
  hours: 12,
  settleMs: 3 * 3_600_000,
  bugs: {
    'rename-first': 'a host is offered before its wipe is asked for',
    'asked-is-done': 'a host is offered as soon as its wipe was accepted',
    'lost-is-done': 'a wipe whose answer was lost is taken for begun',
    'remembers-too-long': 'a wipe that was seen counts until a rename is answered',
    'failed-is-empty': 'a listing that failed is taken for an empty one',
  },
  scripts: {
    'wipe-lost': [
      '# The wipe is asked for, and nobody knows whether it was begun.',
      'on keeper/scaleway/reinstall server#1 reply-lost',
    ].join('\n'),
  },
  build: (world, { bug, forMs }) => buildSetup(world, bug, forMs),
};

function buildSetup(world: World, bug: string | undefined, forMs: number): ScenarioSetup {
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  const cloud = new Cloud({ zones, hosts: 16, project, type }, ports);
  const service = new CloudService(cloud, (kind) => world.sometimes.happened(`fault ${kind}`));
  for (const mac of cloud.macs) mac.name = `${poolPrefix}${mac.id}`;
  world.addProcess({
    name: 'keeper',
    versions: [
      (env) =>
        new Keeper({
          env,
          zones,
          bug,
          listing: (zone) => watched(world, cloud, zone),
          provider: worldProvider({
            service,
            calls: world.calls,
            caller: env.incarnation,
            projectId: project,
            pageSize: 3,
          }),
        }),
    ],
  });
  const tenants = new Tenants(world, cloud);
  tenants.begin(forMs);
  return {
    invariants: [cleanPool(world, cloud)],
    premises: ['a tenant moved in'],
    budgets: [{ calls: 'scaleway reinstall server', most: 30, perMs: 60_000 }],
    services: [service.name],
    cores: { 'the keeper is gone': [{ kind: 'crash', process: 'keeper' }] },
    resyncMs: 120_000,
    endState: () => cloud.macs.map(({ id, name }) => `${id} ${name}`).toSorted(),
    missing: (core) => {
      if (core !== undefined) return undefined;
      const used = cloud.macs.find((mac) => !isOffered(mac, world.clock.now()));
      return used === undefined ? undefined : `${used.name} is not back in the pool`;
    },
    held: () => ({ macs: cloud.macs.length }),
  };
}

/** A listing that was given as whole has everybody who was there from its beginning to its end. */
function watched(world: World, cloud: Cloud, zone: string): (found: readonly string[]) => void {
  const settledAt = world.clock.now() - lagMaxMs;
  const before = cloud.macs.filter((mac) => mac.zone === zone && mac.createdAt <= settledAt);
  return (found) => {
    const missed = before.find((mac) => !mac.isGone && !found.includes(mac.id));
    if (missed !== undefined) world.violate('whole-listing', `${missed.name} was there, and is not listed`);
  };
}

function isOffered(mac: Mac, now: number): boolean {
  return mac.name.startsWith(poolPrefix) && mac.status(now) === 'ready';
}

function cleanPool(world: World, cloud: Cloud): Invariant {
  return {
    id: 'clean-pool',
    says: 'what is offered holds nothing of a tenant',
    when: 'each',
    check: () => {
      const dirty = cloud.macs.find((mac) => mac.residue.length > 0 && isOffered(mac, world.clock.now()));
      return dirty === undefined ? undefined : `${dirty.name} is offered and holds ${dirty.residue.join()}`;
    },
  };
}

/** People: they use what is offered, rent more, and take some away. */
class Tenants {
  readonly #world: World;
  readonly #cloud: Cloud;
  readonly #usedAt = new Map<string, number>();
  #count = 0;

  constructor(world: World, cloud: Cloud) {
    this.#world = world;
    this.#cloud = cloud;
  }

  begin(forMs: number): void {
    const random = this.#world.random('tenants');
    const count = Math.max(4, Math.floor((forMs / 3_600_000) * changesPerHour));
    for (let round = 0; round < count; round += 1) {
      const choice = random.next();
      const act = choice < 0.5 ? () => this.#use() : choice < 0.75 ? () => this.#rent() : () => this.#drop();
      this.#world.clock.after(Math.floor(random.next() * forMs * 0.85), act);
    }
  }

  #use(): void {
    const { clock, sometimes } = this.#world;
    const now = clock.now();
    const free = this.#cloud.macs.find(
      (mac) => isOffered(mac, now) && now - (this.#usedAt.get(mac.id) ?? 0) >= restMs,
    );
    if (free === undefined) return;
    sometimes.happened('premise a tenant moved in');
    this.#count += 1;
    this.#usedAt.set(free.id, now);
    this.#cloud.change(free, (mac) => void (mac.name = `${usedPrefix}${this.#count}`));
    free.residue = [`files of tenant ${this.#count}`];
    this.#report(`use ${free.id}`);
  }

  /** Straight into the pool: nobody has used it yet. */
  #rent(): void {
    const mac = this.#cloud.order(oneOf(this.#world.random('zones'), zones), type, 'new');
    mac.name = `${poolPrefix}${mac.id}`;
    this.#report(`rent ${mac.id}`);
  }

  /** The oldest one, which moves all the others on the pages. */
  #drop(): void {
    const [oldest, ...others] = this.#cloud.macs;
    if (oldest === undefined || others.length < 8) return;
    this.#cloud.change(oldest, (mac) => void (mac.isGone = true));
    this.#report(`drop ${oldest.id}`);
  }

  #report(what: string): void {
    this.#world.report({ who: 'people', what, outcome: 'ok' });
  }
}
