/** Builds the world of a story: its cloud, its managers and its objects, and the event log. */
import { installKinds } from '../../../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { Metrics } from '../../../../src/platform/metrics.ts';
import type { Change } from '../../world/live-view.ts';
import { FleetTruth } from '../../workloads/hosts/fleet-truth.ts';
import { addManager, project, usualSettings } from '../../workloads/hosts/manager-process.ts';
import { Tenants } from '../../workloads/hosts/disk-residue.ts';
import { DirectApi } from '../../world/direct-api.ts';
import { Cloud } from '../../../clouds/scaleway/cloud.ts';
import { usualTiming, type Timing } from '../../../clouds/scaleway/timing.ts';
import type { ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { createMachine } from './steps.ts';
import { Chronicle } from '../event-log.ts';
import { beginCluster } from './cluster.ts';
import { Gauges } from './gauges.ts';
import { eventFacts, hostFacts, leaseFacts, machineFacts } from './object-facts.ts';
import { paths, StoryContext } from './context.ts';
import type { Setting } from './config.ts';
import { StoryCloud } from './story-cloud.ts';

/** The API serves a new kind only after a delay; then the story begins. */
export const beginsAtMs = 3000;

export function buildContext(world: World, setting: Setting): StoryContext {
  installKinds(world.kube.server);
  const cloud = cloudOf(world, setting);
  const ids = new Map(setting.hosts.map(({ name }, index) => [name, idOf(index)]));
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const chronicle = new Chronicle(names, () => world.passedMs - beginsAtMs);
  const strangers = setting.hosts.filter(({ isOurs }) => !isOurs).map(({ name }) => ids.get(name) ?? '');
  const truth = new FleetTruth(world, cloud, strangers);
  const service = new StoryCloud(cloud, { chronicle, arriving: (request) => truth.arriving(request) });
  const api = new DirectApi(world);
  const gauges = new Gauges();
  const context = new StoryContext({ world, setting, cloud, service, api, chronicle, gauges, truth, ids });
  nameMacs(context);
  world.schedule.direct(beginsAtMs, 'the story begins', () => raise(context));
  return context;
}

export function setupFor({ parts: { truth, setting, service } }: StoryContext): ScenarioSetup {
  const invariants = [...truth.invariants(), new Tenants(truth).invariant()];
  return {
    invariants: invariants.filter(({ id }) => !setting.without.has(id)),
    premises: [],
    services: [service.name],
    resyncMs: usualSettings.sweepIntervalMs,
    endState: () => null,
    missing: () => undefined,
  };
}

/** Only the delays are random. */
function cloudOf(world: World, { zones, hosts, isFloorBare }: Setting): Cloud {
  const odds: Timing['odds'] = {
    listLag: 0,
    newAddress: 0,
    sealedPassword: 0,
    bareFloor: isFloorBare ? 1 : 0,
    stuckReinstall: 0,
    otherImage: 0,
  };
  // In the order of the script: of two free hosts, the manager takes the first.
  const first = hosts.map(({ zone, type, ageMs }, index) => ({
    id: idOf(index),
    zone,
    type,
    ageMs,
    name: '',
  }));
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  return new Cloud({ zones, hosts: first, project, timing: { ...usualTiming, odds } }, ports);
}

function idOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}

function nameMacs(context: StoryContext): void {
  const { hosts, poolPrefix } = context.parts.setting;
  for (const { name, called, hasFiles } of hosts) {
    const mac = context.mac(name);
    if (mac === undefined) continue;
    mac.name = called ?? `${poolPrefix}${mac.id}`;
    if (hasFiles) mac.residue = ['somebody'];
  }
}

function raise(context: StoryContext): void {
  const { world, setting, chronicle } = context.parts;
  const reportAll = (facts: (change: Change) => readonly string[]) => (change: Change) => {
    for (const fact of facts(change)) chronicle.report('', fact);
  };
  world.kube.view(paths.hosts, reportAll(hostFacts));
  world.kube.view(paths.machines, reportAll(machineFacts));
  world.kube.view(paths.leases, reportAll(leaseFacts));
  world.kube.view(paths.events, reportAll(eventFacts));
  for (const machine of setting.machines) createMachine(context, machine);
  if (setting.replicas !== undefined) beginCluster(context, setting.replicas);
  world.schedule.direct(setting.managersAtMs, 'managers begin', () => {
    for (const name of setting.managers) begin(context, name);
  });
}

function begin(context: StoryContext, name: string): void {
  const { world, setting, service, gauges } = context.parts;
  const { zones, claimPrefix, poolPrefix: defaultPoolPrefix, reclaimsMax } = setting;
  const settings = { ...usualSettings, zones, claimPrefix, defaultPoolPrefix, reclaimsMax };
  const metrics = (): Metrics => gauges.of(name);
  addManager(world, { name, service, settings, metrics });
}
