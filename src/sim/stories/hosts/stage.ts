/** Builds the world of a story: its cloud, its managers and its objects, with a chronicle of what happens to them. */
import { installKinds } from '../../../apiserver/installed-kinds.ts';
import type { Metrics } from '../../../runtime/metrics.ts';
import type { Change } from '../../live-view.ts';
import { FleetTruth } from '../../scenarios/hosts/fleet-truth.ts';
import { addManager, project, usualSettings } from '../../scenarios/hosts/manager-process.ts';
import { Tenants } from '../../scenarios/hosts/tenants.ts';
import { DirectApi } from '../../scenarios/machines/direct-api.ts';
import { Cloud } from '../../scaleway/cloud.ts';
import { usualHabits, type Habits } from '../../scaleway/habits.ts';
import type { Stage } from '../../scenario.ts';
import type { World } from '../../world.ts';
import { createMachine } from './acts.ts';
import { Chronicle } from '../chronicle.ts';
import { beginCluster } from './cluster.ts';
import { Gauges } from './gauges.ts';
import { eventFacts, hostFacts, leaseFacts, machineFacts } from './object-facts.ts';
import { paths, Scene } from './scene.ts';
import type { Setting } from './setting.ts';
import { StoryCloud } from './story-cloud.ts';

/** A server takes a moment to serve a kind that was just defined; then the story begins. */
export const beginsAtMs = 3000;

export function buildScene(world: World, setting: Setting): Scene {
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
  const scene = new Scene({ world, setting, cloud, service, api, chronicle, gauges, truth, ids });
  nameMacs(scene);
  world.schedule.direct(beginsAtMs, 'the story begins', () => raise(scene));
  return scene;
}

export function stageOf({ parts: { truth, setting, service } }: Scene): Stage {
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

/** Nothing is left to chance but how long things take. */
function cloudOf(world: World, { zones, hosts, isFloorBare }: Setting): Cloud {
  const odds: Habits['odds'] = {
    listLag: 0,
    newAddress: 0,
    sealedPassword: 0,
    bareFloor: isFloorBare ? 1 : 0,
    stuckReinstall: 0,
    otherImage: 0,
  };
  // In the order of the script: of two free hosts, the first one is taken.
  const first = hosts.map(({ zone, type, ageMs }, index) => ({
    id: idOf(index),
    zone,
    type,
    ageMs,
    name: '',
  }));
  const ports = { clock: world.clock, random: (name: string) => world.random(name) };
  return new Cloud({ zones, hosts: first, project, habits: { ...usualHabits, odds } }, ports);
}

function idOf(index: number): string {
  return `00000000-0000-4000-8000-${String(index + 1).padStart(12, '0')}`;
}

function nameMacs(scene: Scene): void {
  const { hosts, poolPrefix } = scene.parts.setting;
  for (const { name, called, hasFiles } of hosts) {
    const mac = scene.mac(name);
    if (mac === undefined) continue;
    mac.name = called ?? `${poolPrefix}${mac.id}`;
    if (hasFiles) mac.residue = ['somebody'];
  }
}

function raise(scene: Scene): void {
  const { world, setting, chronicle } = scene.parts;
  const tellAll = (facts: (change: Change) => readonly string[]) => (change: Change) => {
    for (const fact of facts(change)) chronicle.tell('', fact);
  };
  world.kube.view(paths.hosts, tellAll(hostFacts));
  world.kube.view(paths.machines, tellAll(machineFacts));
  world.kube.view(paths.leases, tellAll(leaseFacts));
  world.kube.view(paths.events, tellAll(eventFacts));
  for (const machine of setting.machines) createMachine(scene, machine);
  if (setting.replicas !== undefined) beginCluster(scene, setting.replicas);
  world.schedule.direct(setting.managersAtMs, 'managers begin', () => {
    for (const name of setting.managers) begin(scene, name);
  });
}

function begin(scene: Scene, name: string): void {
  const { world, setting, service, gauges } = scene.parts;
  const { zones, claimPrefix, poolPrefix: defaultPoolPrefix, reclaimsMax } = setting;
  const settings = { ...usualSettings, zones, claimPrefix, defaultPoolPrefix, reclaimsMax };
  const metrics = (): Metrics => gauges.of(name);
  addManager(world, { name, service, settings, metrics });
}
