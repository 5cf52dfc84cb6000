/**
 * The harness of a measured manager: an embedded API in its own process, a simulated cloud in this one, and the
 * machines.
 */
import { crd } from '../src/api/crd/crd.ts';
import { kinds } from '../src/api/kinds/kinds.ts';
import { macHosts, machines, type MacHostObject, type MachineObject } from '../src/hosts/state/objects.ts';
import { Informer } from '../src/kube/informer/informer.ts';
import type { KubeClient } from '../src/kube/client/client.ts';
import type { KubeObject, Resource } from '../src/kube/client/kube-object.ts';
import { startCloud, type StartedCloud } from '../lab/clouds/scaleway/start-cloud.ts';
import { controlToken } from '../lab/harness/control-token.ts';
import type { Workplace } from '../test/reference/launch/workplace.ts';
import { anyRandom as random, wallClock as clock } from '../lab/harness/wall-clock.ts';
import { embedded } from './contenders.ts';
import { clientFor } from './kube-client.ts';

const zone = 'fr-par-1';
const namespace = 'default';
const clients = 16;
const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

export interface HostsHarness {
  readonly kubeconfig: string;
  readonly cloud: StartedCloud;
  /** Creates so many machines at once, without waiting. */
  want(count: number): Promise<void>;
  /** Resolves when so many machines have a host. */
  served(count: number): Promise<void>;
  /** Resolves when so many hosts are known and free. */
  pooled(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function openHarness(workplace: Workplace, hosts: number): Promise<HostsHarness> {
  const kubeconfig = await embedded(false)(workplace);
  const { client, transport } = await clientFor(kubeconfig);
  for (const kind of kinds) {
    const definition = crd(kind);
    await client.create(definitions, {}, definition);
  }
  const place = { host: '127.0.0.1', port: 0, zones: [zone] };
  const cloud = await startCloud(
    { ...place, hosts, seed: 1, timeScale: 1, type: 'M2-L', controlToken },
    { clock, onFailure: (error) => console.error(error) },
  );
  const known = await following<MacHostObject>(client, macHosts);
  const wanted = await following<MachineObject>(client, machines);
  return {
    kubeconfig,
    cloud,
    want: (count) => each(count, (number) => makeMachine(client, number)),
    served: (count) => until(wanted, count, isServed),
    pooled: (count) => until(known, count, ({ status }) => status?.state === 'Pooled'),
    close: async () => {
      await Promise.all([known.stop(), wanted.stop()]);
      await transport.close();
      await cloud.close();
    },
  };
}

function isServed({ status }: MachineObject): boolean {
  return (status?.serverID ?? '') !== '' && status?.ready === true;
}

async function following<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
): Promise<Informer<T>> {
  const informer = new Informer({
    client,
    resource,
    clock,
    random,
    onListenerFault: (error) => {
      throw error;
    },
  });
  informer.start();
  await informer.synced();
  return informer;
}

function until<T extends KubeObject>(
  informer: Informer<T>,
  count: number,
  holds: (object: T) => boolean,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const good = new Set<string>();
  informer.listen(({ key, object }) => {
    if (object !== undefined && holds(object)) good.add(key);
    else good.delete(key);
    if (good.size >= count) resolve();
  });
  return promise;
}

async function makeMachine(client: KubeClient, number: number): Promise<void> {
  await client.create(
    machines,
    { namespace },
    {
      apiVersion: `${machines.group}/${machines.version}`,
      kind: machines.kind,
      metadata: { name: `runners-${number}`, namespace },
      spec: { type: 'M2-L', zone, os: 'Tahoe' },
    },
  );
}

async function each(count: number, make: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let number = next++; number < count; number = next++) await make(number);
  };
  await Promise.all(Array.from({ length: clients }, worker));
}
