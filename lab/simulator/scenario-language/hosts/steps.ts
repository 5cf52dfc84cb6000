/** Steps of people, in the language of scripts. No fault reaches these writes. */
import { annotations, terminatePolicy } from '../../../../src/api/names/annotations.ts';
import { finalizers } from '../../../../src/api/names/finalizers.ts';
import { providerIdScheme } from '../../../../src/api/names/ids.ts';
import { isJsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import { timeText } from '../../../../src/platform/time-text.ts';
import { clusterPath } from '../../workloads/hosts/cluster-objects.ts';
import { cloudActs } from './cloud-steps.ts';
import { textOf } from './object-facts.ts';
import { processActs } from './process-steps.ts';
import { paths, type StoryContext } from './context.ts';
import { machineOf, type MachineSetting } from './config.ts';
import type { Act } from './step.ts';
import { actAmong } from '../grammar.ts';
import type { Line } from '../story.ts';

const peoplesActs: readonly Act[] = [
  [
    /^create machine ([^\s:]+)(?:: (.+))?$/,
    (context, [name = '', traits]) => createMachine(context, machineOf(name, traits)),
  ],
  [/^delete machine (\S+|on \S+)$/, (context, [name = '']) => deleteMachine(context, name)],
  [
    /^delete machine (\S+) by force$/,
    (context, [name = '']) => {
      deleteMachine(context, name);
      context.changeMachine(name, { metadata: { finalizers: null } });
    },
  ],
  [
    /^delete the Machine above (\S+|on \S+)$/,
    (context, [name = '']) => context.parts.api.delete(`${paths.owners}/${context.machineName(name)}`),
  ],
  [
    /^delete (\S+), of which machines are a part$/,
    (context, [name = '']) => context.parts.api.delete(`${paths.configMaps}/${name}`),
  ],
  [
    /^pause machine (\S+)$/,
    (context, [name = '']) => annotate(context, name, { [annotations.paused.key]: 'by hand' }),
  ],
  [
    /^go on with machine (\S+)$/,
    (context, [name = '']) => annotate(context, name, { [annotations.paused.key]: null }),
  ],
  [
    /^mark machine (\S+|on \S+) to be terminated$/,
    (context, [name = '']) => annotate(context, name, { [annotations.releasePolicy.key]: terminatePolicy }),
  ],
  [
    /^call the server of machine (\S+) gone$/,
    (context, [name = '']) =>
      annotate(context, name, {
        [annotations.hostGone.key]: textOf(context.machine(name), 'status', 'serverID'),
      }),
  ],
  [
    /^clear serverID of machine (\S+)$/,
    (context, [name = '']) => {
      context.changeMachine(name, {
        metadata: { annotations: { [annotations.host.key]: null } },
        spec: { providerID: null },
      });
      context.changeMachine(name, { status: { serverID: null } }, '/status');
    },
  ],
  [
    /^clear status.serverID of machine (\S+)$/,
    (context, [name = '']) => context.changeMachine(name, { status: { serverID: null } }, '/status'),
  ],
  [
    /^write host (\S+) into the annotation of machine (\S+)$/,
    (context, [host = '', name = '']) =>
      annotate(context, name, { [annotations.host.key]: context.idOf(host) }),
  ],
  [
    /^take the host annotation off machine (\S+|on \S+)$/,
    (context, [name = '']) => annotate(context, context.machineName(name), { [annotations.host.key]: null }),
  ],
  [
    /^restore machine (\S+|on \S+) without its status$/,
    (context, [name = '']) => restoreMachine(context, context.machineName(name)),
  ],
  [
    /^(pause|go on with) the Cluster$/,
    ({ parts: { api } }, [how]) => api.change(clusterPath, { spec: { paused: how === 'pause' } }),
  ],
  [
    /^keep (\S+) aside$/,
    (context, [host = '']) =>
      context.changeHost(host, { spec: { hold: { reason: 'somebody looks at it', since: nowIn(context) } } }),
  ],
  [/^let (\S+) go$/, (context, [host = '']) => context.changeHost(host, { spec: { hold: null } })],
  [
    /^take the claim off (\S+)$/,
    (context, [host = '']) => context.changeHost(host, { spec: { claim: null, used: true } }),
  ],
  [
    /^order (\S+) to be (wiped and offered again|terminated)$/,
    (context, [host = '', what]) =>
      context.changeHost(host, { spec: { release: orderOf(context, what === 'terminated') } }),
  ],
  [
    /^order (\S+) to be wiped and offered again, as of (\S+)$/,
    (context, [host = '', orderedAt]) =>
      context.changeHost(host, { spec: { release: { ...orderOf(context, false), orderedAt } } }),
  ],
  [
    /^lose all MacHosts$/,
    ({ parts: { api, ids } }) => {
      for (const id of ids.values()) api.delete(`${paths.hosts}/${id}`);
    },
  ],
];

const acts: readonly Act[] = [...peoplesActs, ...cloudActs, ...processActs];

export function actIn(line: Line): ((context: StoryContext) => void) | undefined {
  return actAmong(acts, line);
}

function nowIn({ parts }: StoryContext): string {
  return timeText(parts.world.clock.now());
}

function deleteMachine(context: StoryContext, words: string): void {
  context.parts.api.delete(`${paths.machines}/${context.machineName(words)}`);
}

/** Restores like a backup: another uid, and everything but the status. */
function restoreMachine(context: StoryContext, name: string): void {
  const { apiVersion, kind, metadata, spec } = context.machine(name) ?? {};
  const {
    labels,
    annotations: marks,
    finalizers: held,
    ownerReferences,
  } = isJsonObject(metadata) ? metadata : {};
  deleteMachine(context, name);
  context.changeMachine(name, { metadata: { finalizers: null } });
  const kept = { name, labels, annotations: marks, finalizers: held, ownerReferences };
  context.parts.api.create(paths.machines, { apiVersion, kind, metadata: kept, spec });
  // The machine owned what carries its old uid on the host.
  const [before, after] = [textOf(metadata, 'uid'), textOf(context.machine(name), 'metadata', 'uid')];
  for (const mac of context.parts.cloud.macs)
    mac.residue = mac.residue.map((left) => (left === before ? after : left));
}

function annotate(context: StoryContext, name: string, marks: Readonly<Record<string, string | null>>): void {
  context.changeMachine(name, { metadata: { annotations: marks } });
}

function orderOf(context: StoryContext, isEnd: boolean): object {
  const { poolPrefix } = context.parts.setting;
  const how = isEnd ? { policy: 'terminate' } : { policy: 'pool', poolPrefix };
  return { ...how, orderedBy: 'person', orderedAt: nowIn(context) };
}

export function createMachine(context: StoryContext, machine: MachineSetting): void {
  const { api } = context.parts;
  const { name, zone, os, poolPrefix, servedBy, owner } = machine;
  const id = servedBy === undefined ? undefined : context.idOf(servedBy);
  api.create(paths.machines, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: {
      name,
      ...(id !== undefined && { finalizers: [finalizers.machine.key] }),
      ...(owner !== undefined && { ownerReferences: [ownerNamed(context, owner)] }),
    },
    spec: {
      zone,
      type: 'M2-L',
      os,
      ...(poolPrefix !== undefined && { adoptPoolPrefix: poolPrefix }),
      ...(id !== undefined && { providerID: `${providerIdScheme}${zone}/${id}` }),
    },
  });
  if (id !== undefined) context.changeMachine(name, { status: { serverID: id, ready: true } }, '/status');
}

/** Anything can own a machine; here a ConfigMap owns it, created at its first mention. */
function ownerNamed({ parts: { api } }: StoryContext, name: string): object {
  const path = `${paths.configMaps}/${name}`;
  if (api.find(path) === undefined)
    api.create(paths.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: textOf(api.find(path), 'metadata', 'uid') };
}
