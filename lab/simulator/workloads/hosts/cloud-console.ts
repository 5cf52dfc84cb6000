/**
 * People at the provider's console, and outages of the provider: servers are renamed, removed and given back during
 * other work; a zone is down, requests are refused for a while, images are retired.
 */
import {
  claimPendingName,
  isClaimPendingName,
  usualPoolPrefix,
} from '../../../../src/api/names/host-names.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { oneOf, wholeBetween } from '../../engine/random-streams.ts';
import type { CloudAct } from '../../../clouds/scaleway/operator-action.ts';
import type { Cloud } from '../../../clouds/scaleway/cloud.ts';
import type { Mac } from '../../../clouds/scaleway/mac.ts';
import { perform } from '../../../clouds/scaleway/perform-action.ts';
import type { World } from '../../world/world.ts';

const minute = 60_000;

export const consoleDeeds = [
  'rename',
  'rename a host that is given up',
  'take',
  'leave an adoption half done',
  'put into the pool',
  'remove',
  'schedule',
  'zone',
  'throttle',
  'deny',
  'refuse wipes',
  'retire',
] as const;
export type ConsoleDeed = (typeof consoleDeeds)[number];

export interface ConsoleOptions {
  readonly zone: string;
  readonly type: string;
  /** The number of servers that people want, foreign servers excluded. */
  readonly wanted: number;
  /** Servers that no person touches. */
  readonly isForeign: (mac: Mac) => boolean;
  /** The name of the machine whose status names this server. */
  readonly tenantOf: (mac: Mac) => string | undefined;
  /** A machine gave the host up, or the host is being wiped. */
  readonly isGivenUp: (mac: Mac) => boolean;
  /** Receives each server that a person renamed; `isPooled`: into the pool. */
  readonly renamed: (id: string, isPooled: boolean) => void;
  /** A person gave a server a name of the person's own. */
  readonly named: (id: string, name: string) => void;
}

export class Console {
  readonly #world: World;
  readonly #cloud: Cloud;
  readonly #options: ConsoleOptions;
  readonly #random: Random;
  readonly #names = new Set<string>();
  #version = 4;

  constructor(world: World, cloud: Cloud, options: ConsoleOptions) {
    this.#world = world;
    this.#cloud = cloud;
    this.#options = options;
    this.#random = world.random('console');
  }

  do(deed: ConsoleDeed): void {
    this.#world.reachability.happened(`premise ${premiseOf(deed)}`);
    const mac = this.#any(() => true);
    this.#deeds[deed](mac, wholeBetween(this.#random, 2, 45) * minute);
  }

  /** The deeds of people; deeds to the provider itself last a while, and the others apply to one server. */
  readonly #deeds: Readonly<Record<ConsoleDeed, (mac: Mac | undefined, forMs: number) => void>> = {
    rename: (mac) => this.#rename(mac, 'console'),
    'rename a host that is given up': () => this.#rename(this.#any(this.#options.isGivenUp), 'console'),
    // Another cluster, or another tool, takes a free server.
    take: () => this.#rename(this.#any(isPooled), 'other-cluster'),
    'leave an adoption half done': () => this.#stopHalfWay(this.#any(isPooled)),
    'put into the pool': () => this.#putIntoPool(this.#any(({ name }) => this.#names.has(name))),
    remove: (mac) => {
      if (mac !== undefined) this.#act({ act: 'remove', server: mac.id });
    },
    schedule: () => this.#schedule(this.#any(isPooled)),
    zone: (_, forMs) => this.#for(forMs, (isDown) => ({ act: 'zone', zone: this.#options.zone, isDown })),
    throttle: (_, forMs) => this.#act({ act: 'throttle', forMs: Math.floor(forMs / 4), retryAfter: '30' }),
    deny: (_, forMs) =>
      this.#for(forMs, (isDenied) => ({ act: 'deny', operation: 'list servers', isDenied })),
    'refuse wipes': (_, forMs) =>
      this.#for(forMs, (isDenied) => ({ act: 'deny', operation: 'reinstall server', isDenied })),
    retire: () => this.#publishAndRetire(),
  };

  /** Gives each server the name of its tenant or of the pool, and rents as many servers as are wanted. */
  tidyUp(): void {
    const isToName = (mac: Mac): boolean =>
      this.#names.has(mac.name) || isClaimPendingName(mac.name) || this.#isUnusedNamesake(mac);
    for (const mac of this.#ours().filter(isToName)) {
      const tenant = this.#options.tenantOf(mac);
      if (tenant === undefined) this.#putIntoPool(mac);
      else this.#nameBack(mac, tenant);
    }
    for (const mac of this.#ours().filter(({ deletionScheduled }) => deletionScheduled)) this.#decide(mac);
    this.replenish();
  }

  /** Another server has the name too, and no machine uses this server. */
  #isUnusedNamesake(mac: Mac): boolean {
    const isShared = this.#cloud.macs.some(({ id, name }) => id !== mac.id && name === mac.name);
    return isShared && this.#options.tenantOf(mac) === undefined;
  }

  /** Deletes now what was scheduled for deletion, unless a machine uses it: the quiet time must see no such event. */
  #decide(mac: Mac): void {
    if (this.#options.tenantOf(mac) === undefined) this.#act({ act: 'remove', server: mac.id });
    else this.#cloud.change(mac, () => void (mac.deletionScheduled = false));
  }

  knows(id: string): boolean {
    return this.#cloud.macs.some((mac) => mac.id === id);
  }

  replenish(): void {
    const { zone, type, wanted } = this.#options;
    const staying = this.#ours().filter(({ deletionScheduled }) => !deletionScheduled);
    for (let count = staying.length; count < wanted; count += 1) {
      const name = `${usualPoolPrefix}new-${wholeBetween(this.#random, 0, 1e9)}`;
      this.#act({ act: 'order', zone, type, name });
    }
  }

  #ours(): readonly Mac[] {
    return this.#cloud.macs.filter((mac) => !this.#options.isForeign(mac));
  }

  #any(which: (mac: Mac) => boolean): Mac | undefined {
    const some = this.#ours().filter(which);
    return some.length === 0 ? undefined : oneOf(this.#random, some);
  }

  #rename(mac: Mac | undefined, word: string): void {
    if (mac === undefined) return;
    const name = `${word}-${wholeBetween(this.#random, 0, 1e9)}`;
    this.#names.add(name);
    this.#options.renamed(mac.id, false);
    this.#options.named(mac.id, name);
    this.#act({ act: 'rename', server: mac.id, name });
  }

  /** A person who puts a server into the pool by hand vouches for its disk. */
  #putIntoPool(mac: Mac | undefined): void {
    if (mac === undefined || this.#options.tenantOf(mac) !== undefined) return;
    mac.residue = [];
    this.#act({ act: 'rename', server: mac.id, name: `${usualPoolPrefix}${mac.id}` });
    this.#options.renamed(mac.id, true);
  }

  /** The manager may have given the name to another server since its last inventory: the name stays a person's deed. */
  #nameBack(mac: Mac, name: string): void {
    this.#act({ act: 'rename', server: mac.id, name });
    this.#options.renamed(mac.id, false);
  }

  /** Another tool renames a free server, and dies before its second rename. */
  #stopHalfWay(mac: Mac | undefined): void {
    if (mac === undefined) return;
    this.#act({
      act: 'rename',
      server: mac.id,
      name: claimPendingName(String(wholeBetween(this.#random, 0, 1e9))),
    });
  }

  #schedule(mac: Mac | undefined): void {
    if (mac === undefined) return;
    this.#cloud.change(mac, () => void (mac.deletionScheduled = true));
    this.#world.report({ who: 'people', what: `schedule the end of ${mac.id.slice(0, 8)}`, outcome: 'ok' });
  }

  #publishAndRetire(): void {
    const old = this.#cloud.catalogue.images.find(({ family }) => family === 'Tahoe');
    this.#version += 1;
    this.#act({ act: 'publish os', family: 'Tahoe', version: `26.${this.#version}`, isBeta: false });
    if (old !== undefined) this.#act({ act: 'retire os', name: old.name });
  }

  #for(ms: number, act: (isOn: boolean) => CloudAct): void {
    this.#act(act(true));
    this.#world.clock.after(ms, () => this.#act(act(false)));
  }

  #act(act: CloudAct): void {
    perform(this.#cloud, act, { now: () => this.#world.clock.now() });
    const about = 'server' in act ? act.server.slice(0, 8) : '';
    this.#world.report({ who: 'people', what: `${act.act} ${about}`.trim(), outcome: 'ok' });
  }
}

export function premiseOf(deed: ConsoleDeed): string {
  return `somebody at the console: ${deed}`;
}

function isPooled({ name }: Mac): boolean {
  return name.startsWith(usualPoolPrefix);
}
