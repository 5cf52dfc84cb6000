/**
 * Machines come and go on a small fleet of rented Macs, under two replicas of the manager. People delete, force, pause
 * and rename at bad moments; the cloud loses requests, answers late and returns wrong listings. No Mac may be lost,
 * shared, or handed on with another owner's files.
 */
import { usualPoolPrefix } from '../../../../src/api/names/host-names.ts';
import { installKinds } from '../../../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import { Cloud } from '../../../clouds/scaleway/cloud.ts';
import type { Scenario, Setting, ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { Console } from './cloud-console.ts';
import { Deadlines } from './deadlines.ts';
import { FleetTruth } from './fleet-truth.ts';
import { DirectApi } from '../../world/direct-api.ts';
import { install } from './cluster-objects.ts';
import { addManager, project, usualSettings } from './manager-process.ts';
import { OrderRules } from './order-rules.ts';
import { CallRules } from './call-rules.ts';
import { AdminClient } from './admin-client.ts';
import { createClusterObjects, machineNames } from './machine-objects.ts';
import { createLeftovers, leftoverPremises } from './older-leftovers.ts';
import { foreignNames, People, premises, type PeopleView } from './operators.ts';
import { SentRequests } from './sent-requests.ts';
import { Tenants } from './disk-residue.ts';
import { watchedBy } from './watched-cloud.ts';

const [zone = ''] = usualSettings.zones;
const serverType = 'M2-L';
const olderWay = 'older-way';
const hostCount = 8;
/** The highest number of machines that an older provider may have begun. */
const leftoversMax = 3;

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
  build: buildSetup,
};

function buildSetup(world: World, { bug, forMs }: Setting): ScenarioSetup {
  const isOlder = bug === olderWay;
  installKinds(world.kube.server);
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  const cloud = new Cloud({ zones: [zone], hosts: hostCount, project, type: serverType }, ports);
  const foreign = cloud.macs.slice(0, foreignNames.length).map(({ id }) => id);
  const truth = new FleetTruth(world, cloud, foreign);
  nameMacs(cloud);
  // New servers come with the first image on offer; people continue to rent the present family.
  for (const { name, family } of cloud.catalogue.images) if (family !== 'Tahoe') cloud.catalogue.retire(name);
  const rules = new OrderRules(world, truth, usualSettings);
  const callRules = new CallRules(world, truth);
  const service = serviceOf(world, { cloud, truth, rules, callRules, isOlder });
  for (const name of ['manager-a', 'manager-b'] as const)
    addManager(world, { service, settings: usualSettings, name, isOlder });
  const tenants = new Tenants(truth);
  const deadlines = new Deadlines(world, truth, {
    peaceAfterMs: forMs,
    sweepIntervalMs: usualSettings.sweepIntervalMs,
    sweepsMax: 2 + Math.ceil(hostCount / usualSettings.reclaimsMax),
  });
  const admin = new AdminClient(world);
  raise(world, { admin, cloud, isOlder });
  peopleOf(world, { cloud, admin, truth, rules, callRules }).begin(forMs);
  return {
    invariants: [
      ...truth.invariants(),
      tenants.invariant(),
      ...(isOlder ? [] : [rules.invariant(), callRules.invariant(), ...deadlines.invariants()]),
    ],
    premises: [...truth.premises, ...premises, ...(isOlder ? [] : leftoverPremises)],
    budgets: [
      { calls: 'scaleway reinstall server', most: 40, perMs: 600_000 },
      { calls: 'scaleway', most: 400, perMs: 60_000 },
    ],
    services: [service.name],
    cores: { 'manager-b is gone': [{ kind: 'crash', process: 'manager-b' }] },
    resyncMs: 5 * 60_000,
    endState: () => endState(truth, cloud),
    missing: () => truth.missing(),
    // The number of servers depends on when their rents ended.
    held: () => ({ machines: truth.machines.length }),
  };
}

/** The cloud as the managers reach it: each request is compared with the stored objects before it is done. */
function serviceOf(
  world: World,
  { cloud, truth, rules, callRules, isOlder }: Omit<StoryContext, 'admin'> & { readonly isOlder: boolean },
): SentRequests {
  const watched = watchedBy(cloud, (request) => {
    truth.arriving(request);
    // The older way stores no orders to compare a request with.
    if (isOlder) return;
    rules.arriving(request);
    callRules.arriving(request, service.sentAt(request));
  });
  const service = new SentRequests(watched, {
    now: () => world.clock.now(),
    did: (kind) => world.reachability.happened(`fault ${kind}`),
  });
  return service;
}

interface StoryContext {
  readonly cloud: Cloud;
  readonly admin: AdminClient;
  readonly truth: FleetTruth;
  readonly rules: OrderRules;
  readonly callRules: CallRules;
}

/** The API serves new kinds only some time after their definitions. */
const servedAfterMs = 2500;

/** The initial objects: a Cluster, and what an older provider left. */
function raise(
  world: World,
  { admin, cloud, isOlder }: Pick<StoryContext, 'admin' | 'cloud'> & { readonly isOlder: boolean },
): void {
  install(new DirectApi(world));
  const free = cloud.macs.slice(foreignNames.length, foreignNames.length + leftoversMax);
  const writeLeftovers = isOlder ? undefined : createLeftovers(world, admin, free);
  world.clock.after(servedAfterMs, () => {
    createClusterObjects(admin);
    writeLeftovers?.();
  });
}

function peopleOf(world: World, { cloud, admin, truth, rules, callRules }: StoryContext): People {
  const atConsole = new Console(world, cloud, {
    zone,
    type: serverType,
    wanted: hostCount - foreignNames.length,
    isForeign: ({ id }) => truth.isForeign(id),
    tenantOf: ({ id }) => (truth.tenantOf(id) ?? truth.formerTenantOf(id))?.name,
    isGivenUp: ({ id }) => truth.hosts.some((host) => host.id === id && host.release !== undefined),
    renamed: (id, isPooled) => truth.renamed(id, isPooled),
    named: (id, name) => truth.namedByPerson(id, name),
  });
  const view: PeopleView = {
    hosts: () => truth.hosts.map((host) => ({ ...host, isUnowned: truth.isUnowned(host) })),
    forced: (name) => {
      rules.forced(name);
      for (const { uid } of truth.machines.filter((machine) => machine.name === name)) callRules.forced(uid);
    },
    lost: (id) => {
      rules.lost(id);
      callRules.lost(id);
    },
    unheld: (id) => callRules.letGo(id),
    cleared: (machine) => callRules.cleared(machine),
    unpaused: ({ uid }) => callRules.unpaused(uid),
    conflicts: () => truth.conflicts(),
  };
  return new People(world, { console: atConsole, admin, view });
}

/** All but two servers are free; those two belong to other people, and must stay as they are. */
function nameMacs(cloud: Cloud): void {
  cloud.macs.forEach((mac, index) => {
    mac.name = foreignNames[index] ?? `${usualPoolPrefix}${mac.id}`;
  });
}

/** Which Mac serves which machine is random. */
function endState(truth: FleetTruth, cloud: Cloud): Json {
  return {
    served: machineNames.filter((name) => truth.macOf(name) !== undefined),
    foreign: cloud.macs
      .map(({ name }) => name)
      .filter((name) => foreignNames.includes(name))
      .toSorted(),
  };
}
