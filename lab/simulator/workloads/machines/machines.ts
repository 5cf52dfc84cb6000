/**
 * The stand-in for the core of Cluster API at work under faults: people scale a deployment, delete Machines and change
 * the template, and in the end everything that was made belongs together.
 */
import type { JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { KubeTransport } from '../../../../src/kube/client/transport.ts';
import { ClusterApiCore } from '../../../clouds/cluster-api/core.ts';
import type { LiveView } from '../../world/live-view.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import { oneOf } from '../../engine/random-streams.ts';
import { RuntimeTransport } from '../../world/kube-transport.ts';
import type { Scenario, ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { DirectApi, isDeleting, metadataOf, nameOf } from './direct-api.ts';
import {
  deploymentPath,
  hostPath,
  install,
  machinePath,
  nodePath,
  raise,
  templateReference,
  tend,
} from './scenery.ts';

const changesPerHour = 20;
const replicasAtTheEnd = 3;
/** Kinds are served a moment after their definitions were taken. */
const servedMs = 2000;
const tendMs = 10_000;
const resyncMs = 120_000;

const replaced = 'a Machine that somebody deleted was gone';

export const machines: Scenario = {
  name: 'machines',
  says: 'a stand-in for Cluster API makes and deletes Machines, and none goes before its infrastructure',
  hours: 6,
  settleMs: 3_600_000,
  endsAlike: true,
  bugs: { 'no-finalizer': 'Machines are made without a finalizer, and none is added' },
  scripts: {
    'clone-lost': [
      '# The first infrastructure is asked for, and nobody knows whether it was made.',
      'on core/kube/create scalewayapplesiliconmachines#1 reply-lost',
    ].join('\n'),
  },
  build: (world, { bug, forMs }) => buildSetup(world, bug, forMs),
};

interface Views {
  readonly hosts: LiveView;
  readonly machines: LiveView;
}

function buildSetup(world: World, bug: string | undefined, forMs: number): ScenarioSetup {
  const api = new DirectApi(world);
  install(api);
  let views: Views | undefined;
  world.clock.after(servedMs, () => {
    views = { hosts: world.kube.view(hostPath), machines: world.kube.view(machinePath) };
    raise(api);
    people(world, api, forMs);
    tendOn(world, api);
  });
  world.addProcess({
    name: 'core',
    versions: [
      ({ clock, random, log, incarnation }) => {
        const transport = new RuntimeTransport(world.kube.transport(incarnation));
        const used = bug === 'no-finalizer' ? withoutFinalizers(transport) : transport;
        const core = new ClusterApiCore({ transport: used, clock, random, log });
        core.start();
        return core;
      },
    ],
  });
  return {
    invariants: [goesLast(() => views)],
    premises: [replaced],
    cores: { 'the core is gone': [{ kind: 'crash', process: 'core' }] },
    resyncMs,
    endState: () => ({ hosts: api.list(hostPath).length, nodes: api.list(nodePath).length }),
    missing: (core) => (core === undefined ? missing(api) : undefined),
    held: () => ({ machines: api.list(machinePath).length, nodes: api.list(nodePath).length }),
  };
}

function tendOn(world: World, api: DirectApi): void {
  tend(api);
  world.clock.after(tendMs, () => tendOn(world, api));
}

function people(world: World, api: DirectApi, forMs: number): void {
  const random = world.random('people');
  const count = Math.max(4, Math.floor((forMs / 3_600_000) * changesPerHour));
  for (let round = 0; round < count; round += 1) {
    const [draw, atMs] = [random.next(), Math.floor(random.next() * forMs * 0.85)];
    world.clock.after(atMs, () => {
      if (draw < 0.4) scale(api, Math.floor(draw * 10) + 1);
      else if (draw < 0.6) useTemplate(api, draw < 0.5 ? 'tahoe' : 'sequoia');
      else deleteOne(world, api, random);
    });
  }
  world.clock.after(Math.floor(forMs * 0.9), () => scale(api, replicasAtTheEnd));
}

function scale(api: DirectApi, replicas: number): void {
  api.change(deploymentPath, { spec: { replicas } });
}

function useTemplate(api: DirectApi, name: string): void {
  api.change(deploymentPath, {
    spec: { template: { spec: { infrastructureRef: templateReference(name) } } },
  });
}

function deleteOne(world: World, api: DirectApi, random: Parameters<typeof oneOf>[0]): void {
  const all = api.list(machinePath).filter((machine) => !isDeleting(machine));
  const [first] = all;
  if (first === undefined) return;
  const path = `${machinePath}/${nameOf(oneOf(random, [first, ...all.slice(1)]))}`;
  api.delete(path);
  world.clock.after(600_000, () => {
    if (api.find(path) === undefined) world.sometimes.happened(`premise ${replaced}`);
  });
}

/** What was asked for by somebody dead may still be made later; so only what once stood together counts. */
function goesLast(views: () => Views | undefined): Invariant {
  const together = new Set<unknown>();
  let seen = '';
  return {
    id: 'machine-last',
    says: 'a Machine is there until its infrastructure is gone',
    when: 'each',
    check: () => {
      const { hosts, machines: all } = views() ?? {};
      if (hosts === undefined || all === undefined || seen === `${hosts.changes} ${all.changes}`)
        return undefined;
      seen = `${hosts.changes} ${all.changes}`;
      const orphan = hosts.objects.find((host) => {
        const { uid } = metadataOf(host);
        const isOwned = all.get(`default/${nameOf(host)}`) !== undefined;
        if (isOwned) together.add(uid);
        return !isOwned && together.has(uid);
      });
      return orphan === undefined ? undefined : `${nameOf(orphan)} is without its Machine`;
    },
  };
}

function missing(api: DirectApi): string | undefined {
  const [all, hosts] = [api.list(machinePath), api.list(hostPath)];
  if (all.length !== replicasAtTheEnd) return `there are ${all.length} Machines`;
  const names = (objects: readonly JsonObject[]): string => objects.map(nameOf).toSorted().join();
  if (names(all) !== names(hosts)) return `the infrastructure is ${names(hosts)}`;
  if (names(all) !== names(api.list(nodePath))) return `the Nodes are ${names(api.list(nodePath))}`;
  const stuck = all.find(isDeleting);
  return stuck === undefined ? undefined : `${nameOf(stuck)} is still leaving`;
}

/** The mistake: whatever is written to a Machine, it is written without finalizers. */
function withoutFinalizers(transport: KubeTransport): KubeTransport {
  return {
    send: (request, signal) => {
      if (!request.path.includes('/machines')) return transport.send(request, signal);
      const body: unknown = JSON.parse(JSON.stringify(request.body ?? null), (key, value: unknown) =>
        key === 'finalizers' ? undefined : value,
      );
      return transport.send({ ...request, ...(request.body !== undefined && { body }) }, signal);
    },
    stream: (request, signal) => transport.stream(request, signal),
    reconnect: () => transport.reconnect(),
  };
}
