/** What people do in a story, in the words of scripts. Nobody and nothing stands between them and the objects. */
import { annotations, terminatePolicy } from '../../../api/annotations.ts';
import { finalizers } from '../../../api/finalizers.ts';
import { providerIdScheme } from '../../../api/ids.ts';
import { isJsonObject } from '../../../apiserver/json.ts';
import { timeText } from '../../../fleet/time-text.ts';
import { clusterPath } from '../../scenarios/machines/scenery.ts';
import { cloudActs } from './cloud-acts.ts';
import { textOf } from './object-facts.ts';
import { processActs } from './process-acts.ts';
import { paths, type Scene } from './scene.ts';
import { machineOf, type MachineSetting } from './setting.ts';
import type { Act } from './act.ts';
import { actAmong } from '../sayings.ts';
import type { Line } from '../story.ts';

const peoplesActs: readonly Act[] = [
  [
    /^create machine ([^\s:]+)(?:: (.+))?$/,
    (scene, [name = '', traits]) => createMachine(scene, machineOf(name, traits)),
  ],
  [/^delete machine (\S+|on \S+)$/, (scene, [name = '']) => deleteMachine(scene, name)],
  [
    /^delete machine (\S+) by force$/,
    (scene, [name = '']) => {
      deleteMachine(scene, name);
      scene.changeMachine(name, { metadata: { finalizers: null } });
    },
  ],
  [
    /^delete the Machine above (\S+|on \S+)$/,
    (scene, [name = '']) => scene.parts.api.delete(`${paths.owners}/${scene.machineName(name)}`),
  ],
  [
    /^delete (\S+), of which machines are a part$/,
    (scene, [name = '']) => scene.parts.api.delete(`${paths.configMaps}/${name}`),
  ],
  [
    /^pause machine (\S+)$/,
    (scene, [name = '']) => annotate(scene, name, { [annotations.paused.key]: 'by hand' }),
  ],
  [
    /^go on with machine (\S+)$/,
    (scene, [name = '']) => annotate(scene, name, { [annotations.paused.key]: null }),
  ],
  [
    /^mark machine (\S+|on \S+) to be terminated$/,
    (scene, [name = '']) => annotate(scene, name, { [annotations.releasePolicy.key]: terminatePolicy }),
  ],
  [
    /^call the server of machine (\S+) gone$/,
    (scene, [name = '']) =>
      annotate(scene, name, {
        [annotations.hostGone.key]: textOf(scene.machine(name), 'status', 'serverID'),
      }),
  ],
  [
    /^clear serverID of machine (\S+)$/,
    (scene, [name = '']) => {
      scene.changeMachine(name, {
        metadata: { annotations: { [annotations.host.key]: null } },
        spec: { providerID: null },
      });
      scene.changeMachine(name, { status: { serverID: null } }, '/status');
    },
  ],
  [
    /^clear status.serverID of machine (\S+)$/,
    (scene, [name = '']) => scene.changeMachine(name, { status: { serverID: null } }, '/status'),
  ],
  [
    /^write host (\S+) into the annotation of machine (\S+)$/,
    (scene, [host = '', name = '']) => annotate(scene, name, { [annotations.host.key]: scene.idOf(host) }),
  ],
  [
    /^take the host annotation off machine (\S+|on \S+)$/,
    (scene, [name = '']) => annotate(scene, scene.machineName(name), { [annotations.host.key]: null }),
  ],
  [
    /^restore machine (\S+|on \S+) without its status$/,
    (scene, [name = '']) => restoreMachine(scene, scene.machineName(name)),
  ],
  [
    /^(pause|go on with) the Cluster$/,
    ({ parts: { api } }, [how]) => api.change(clusterPath, { spec: { paused: how === 'pause' } }),
  ],
  [
    /^keep (\S+) aside$/,
    (scene, [host = '']) =>
      scene.changeHost(host, { spec: { hold: { reason: 'somebody looks at it', since: nowIn(scene) } } }),
  ],
  [/^let (\S+) go$/, (scene, [host = '']) => scene.changeHost(host, { spec: { hold: null } })],
  [
    /^take the claim off (\S+)$/,
    (scene, [host = '']) => scene.changeHost(host, { spec: { claim: null, used: true } }),
  ],
  [
    /^order (\S+) to be (wiped and offered again|terminated)$/,
    (scene, [host = '', what]) =>
      scene.changeHost(host, { spec: { release: orderOf(scene, what === 'terminated') } }),
  ],
  [
    /^order (\S+) to be wiped and offered again, as of (\S+)$/,
    (scene, [host = '', orderedAt]) =>
      scene.changeHost(host, { spec: { release: { ...orderOf(scene, false), orderedAt } } }),
  ],
  [
    /^lose all MacHosts$/,
    ({ parts: { api, ids } }) => {
      for (const id of ids.values()) api.delete(`${paths.hosts}/${id}`);
    },
  ],
];

const acts: readonly Act[] = [...peoplesActs, ...cloudActs, ...processActs];

export function actIn(line: Line): ((scene: Scene) => void) | undefined {
  return actAmong(acts, line);
}

function nowIn({ parts }: Scene): string {
  return timeText(parts.world.clock.now());
}

function deleteMachine(scene: Scene, words: string): void {
  scene.parts.api.delete(`${paths.machines}/${scene.machineName(words)}`);
}

/** As backups do: another uid, and all but the status as it was. */
function restoreMachine(scene: Scene, name: string): void {
  const { apiVersion, kind, metadata, spec } = scene.machine(name) ?? {};
  const {
    labels,
    annotations: marks,
    finalizers: held,
    ownerReferences,
  } = isJsonObject(metadata) ? metadata : {};
  deleteMachine(scene, name);
  scene.changeMachine(name, { metadata: { finalizers: null } });
  const kept = { name, labels, annotations: marks, finalizers: held, ownerReferences };
  scene.parts.api.create(paths.machines, { apiVersion, kind, metadata: kept, spec });
  // What it has left on its host is its own.
  const [before, after] = [textOf(metadata, 'uid'), textOf(scene.machine(name), 'metadata', 'uid')];
  for (const mac of scene.parts.cloud.macs)
    mac.residue = mac.residue.map((left) => (left === before ? after : left));
}

function annotate(scene: Scene, name: string, marks: Readonly<Record<string, string | null>>): void {
  scene.changeMachine(name, { metadata: { annotations: marks } });
}

function orderOf(scene: Scene, isEnd: boolean): object {
  const { poolPrefix } = scene.parts.setting;
  const how = isEnd ? { policy: 'terminate' } : { policy: 'pool', poolPrefix };
  return { ...how, orderedBy: 'person', orderedAt: nowIn(scene) };
}

export function createMachine(scene: Scene, machine: MachineSetting): void {
  const { api } = scene.parts;
  const { name, zone, os, poolPrefix, servedBy, owner } = machine;
  const id = servedBy === undefined ? undefined : scene.idOf(servedBy);
  api.create(paths.machines, {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: {
      name,
      ...(id !== undefined && { finalizers: [finalizers.machine.key] }),
      ...(owner !== undefined && { ownerReferences: [ownerNamed(scene, owner)] }),
    },
    spec: {
      zone,
      type: 'M2-L',
      os,
      ...(poolPrefix !== undefined && { adoptPoolPrefix: poolPrefix }),
      ...(id !== undefined && { providerID: `${providerIdScheme}${zone}/${id}` }),
    },
  });
  if (id !== undefined) scene.changeMachine(name, { status: { serverID: id, ready: true } }, '/status');
}

/** Anything can own a machine; here it is a ConfigMap, which is made when it is first spoken of. */
function ownerNamed({ parts: { api } }: Scene, name: string): object {
  const path = `${paths.configMaps}/${name}`;
  if (api.find(path) === undefined)
    api.create(paths.configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
  return { apiVersion: 'v1', kind: 'ConfigMap', name, uid: textOf(api.find(path), 'metadata', 'uid') };
}
