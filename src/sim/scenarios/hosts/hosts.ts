/**
 * Machines come and go on a small fleet of rented Macs, under two replicas of the manager. People delete, force, pause and
 * rename at bad moments; the cloud loses requests, answers late and lies in its listings. Whatever happens, no Mac is lost,
 * shared, or handed on with somebody's files.
 */
import { usualPoolPrefix } from '../../../api/host-names.ts';
import { installKinds } from '../../../apiserver/installed-kinds.ts';
import type { Json } from '../../../apiserver/json.ts';
import { Cloud } from '../../scaleway/cloud.ts';
import { CloudService } from '../../scaleway/service.ts';
import type { Scenario, Setting, Stage } from '../../scenario.ts';
import type { World } from '../../world.ts';
import { Console } from './console.ts';
import { Deadlines } from './deadlines.ts';
import { FleetTruth } from './fleet-truth.ts';
import { addManager, project, usualSettings } from './manager-process.ts';
import { OrderRules } from './order-rules.ts';
import { foreignNames, machineNames, People, premises } from './people.ts';
import { Tenants } from './tenants.ts';
import { watchedBy } from './watched-cloud.ts';

const [zone = ''] = usualSettings.zones;
const serverType = 'M2-L';
const olderWay = 'older-way';
const hostCount = 8;

export const hosts: Scenario = {
  name: 'hosts',
  says: 'machines come and go on rented Macs, and none is lost, shared, or handed on with files on it',
  hours: 30,
  settleMs: 4 * 3_600_000,
  endsAlike: true,
  bugs: {
    [olderWay]: 'a host is claimed by renaming it, and is back in the pool before its wipe is asked for',
  },
  scripts: {},
  build: buildStage,
};

function buildStage(world: World, { bug, forMs }: Setting): Stage {
  const isOlder = bug === olderWay;
  installKinds(world.kube.server);
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  const cloud = new Cloud({ zones: [zone], hosts: hostCount, project, type: serverType }, ports);
  const foreign = cloud.macs.slice(0, foreignNames.length).map(({ id }) => id);
  const truth = new FleetTruth(world, cloud, foreign);
  nameMacs(cloud);
  // What is rented anew comes with the first image on offer; people go on renting what they have.
  for (const { name, family } of cloud.catalogue.images) if (family !== 'Tahoe') cloud.catalogue.retire(name);
  const rules = new OrderRules(world, truth, usualSettings);
  const watched = watchedBy(cloud, (request) => {
    truth.arriving(request);
    // The older way keeps no orders that a request could be compared with.
    if (!isOlder) rules.arriving(request);
  });
  const service = new CloudService(watched, (kind) => world.sometimes.happened(`fault ${kind}`));
  for (const name of ['manager-a', 'manager-b'] as const)
    addManager(world, { service, settings: usualSettings, name, isOlder });
  const tenants = new Tenants(truth);
  const deadlines = new Deadlines(world, truth, {
    peaceAfterMs: forMs,
    sweepIntervalMs: usualSettings.sweepIntervalMs,
    sweepsMax: 2 + Math.ceil(hostCount / usualSettings.reclaimsMax),
  });
  peopleOf(world, { cloud, truth, rules }).begin(forMs);
  return {
    invariants: [
      ...truth.invariants(),
      tenants.invariant(),
      ...(isOlder ? [] : [rules.invariant(), ...deadlines.invariants()]),
    ],
    premises: [...truth.premises, ...premises],
    budgets: [
      { calls: 'scaleway reinstall server', most: 40, perMs: 600_000 },
      { calls: 'scaleway', most: 400, perMs: 60_000 },
    ],
    services: [service.name],
    cores: { 'manager-b is gone': [{ kind: 'crash', process: 'manager-b' }] },
    resyncMs: 5 * 60_000,
    endState: () => endState(truth, cloud),
    missing: () => truth.missing(),
    // How many servers there are depends on when the rent of some was ended.
    held: () => ({ machines: truth.machines.length }),
  };
}

interface Scene {
  readonly cloud: Cloud;
  readonly truth: FleetTruth;
  readonly rules: OrderRules;
}

function peopleOf(world: World, { cloud, truth, rules }: Scene): People {
  const atConsole = new Console(world, cloud, {
    zone,
    type: serverType,
    wanted: hostCount - foreignNames.length,
    isForeign: ({ id }) => truth.isForeign(id),
    tenantOf: ({ id }) => truth.tenantOf(id)?.name,
    renamed: (id, isBack) => truth.renamed(id, isBack),
  });
  return new People(world, atConsole, {
    hosts: () => truth.hosts.map((host) => ({ ...host, isUnowned: truth.isUnowned(host) })),
    forced: (name) => rules.forced(name),
    lost: (id) => rules.lost(id),
  });
}

/** All but two are free; those are somebody else's, and must stay as they are. */
function nameMacs(cloud: Cloud): void {
  cloud.macs.forEach((mac, index) => {
    mac.name = foreignNames[index] ?? `${usualPoolPrefix}${mac.id}`;
  });
}

/** Which Mac serves which machine is left to chance. */
function endState(truth: FleetTruth, cloud: Cloud): Json {
  return {
    served: machineNames.filter((name) => truth.macOf(name) !== undefined),
    foreign: cloud.macs
      .map(({ name }) => name)
      .filter((name) => foreignNames.includes(name))
      .toSorted(),
  };
}
