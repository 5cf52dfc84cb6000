/**
 * A fleet for `muster up`: Macs of a simulated Scaleway, a manager that keeps them, and two machines that want one. The
 * simulated cloud begins anew each time, so what an earlier one left in the API is cleared first.
 */
import { ownIdentity as identity } from '../apiserver/auth/identity.ts';
import { isJsonList, isJsonObject, type Json } from '../apiserver/json.ts';
import type { ApiRequest } from '../apiserver/request.ts';
import type { ApiServer } from '../apiserver/server.ts';
import { usualPoolPrefix } from '../api/host-names.ts';
import { FleetManager } from '../manager/fleet-manager.ts';
import type { FleetSettings } from '../manager/fleet-settings.ts';
import { readCredentials } from '../provider/scaleway/credentials.ts';
import { openScaleway } from '../provider/scaleway/open.ts';
import { uuid } from '../runtime/ids.ts';
import { HttpTransport } from '../runtime/kube/http-transport.ts';
import { readKubeconfig } from '../runtime/kube/kubeconfig.ts';
import { startCloud } from '../sim/scaleway/start-cloud.ts';
import type { ProcessPorts } from './process-ports.ts';

export interface DemoFleet {
  readonly cloudUrl: string;
  readonly hosts: number;
  readonly machines: readonly string[];
  close(): Promise<void>;
}

export interface DemoPlace {
  readonly server: ApiServer;
  readonly kubeconfig: string;
  readonly readFile: (path: string) => Promise<string>;
}

const zone = 'fr-par-1';
const type = 'M2-L';
const hosts = 6;
const machines: readonly string[] = ['demo-1', 'demo-2'];
const machinesPath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/default/scalewayapplesiliconmachines';
const hostsPath = '/apis/muster.dev/v1alpha1/machosts';
const userAgent = 'muster-up';

/** Alone on one machine it need not wait long for anybody else. */
const settings: FleetSettings = {
  zones: [zone],
  defaultPoolPrefix: usualPoolPrefix,
  claimPrefix: 'demo-',
  inventoryIntervalMs: 5000,
  sweepIntervalMs: 30_000,
  reclaimsMax: 2,
  workers: 4,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'muster-manager',
  lease: { durationMs: 4000, actMs: 2500, handoverMs: 1000 },
};

export async function startDemoFleet(place: DemoPlace, ports: ProcessPorts): Promise<DemoFleet> {
  const { clock, random, terminal } = ports;
  const begun = new AsyncDisposableStack();
  const onFailure = (error: unknown): void => terminal.err(`failed: ${String(error)}\n`);
  try {
    clear(place.server);
    const listen = { host: '127.0.0.1', port: 0 };
    const cloud = await startCloud(
      { ...listen, hosts, type, seed: 1, timeScale: 60, zones: [zone] },
      { clock, onFailure },
    );
    begun.defer(() => cloud.close());
    const transport = new HttpTransport({
      connection: await readKubeconfig(
        { file: place.kubeconfig },
        {
          readFile: place.readFile,
          now: () => clock.now(),
          runProgram: () => Promise.reject(new Error('none is named')),
        },
      ),
      userAgent,
      now: () => clock.now(),
    });
    begun.defer(() => transport.close());
    const credentials = await readCredentials({
      env: cloud.environment,
      readFile: () => Promise.resolve(undefined),
    });
    const manager = new FleetManager(settings, {
      transport,
      provider: openScaleway({ credentials, clock, userAgent }),
      clock,
      random,
      identity: `up-${uuid(random)}`,
      log: () => undefined,
      exit: (why) => terminal.err(`the manager ended: ${why}\n`),
      crash: onFailure,
    });
    manager.start();
    begun.defer(() => manager.stop());
    for (const name of machines)
      ask(place.server, { method: 'POST', path: machinesPath, body: machineOf(name) });
    return { cloudUrl: cloud.url, hosts, machines, close: () => begun.disposeAsync() };
  } catch (error) {
    await begun.disposeAsync();
    throw error;
  }
}

/** Machines first, so that nobody gives back a host that does not exist any more. */
function clear(server: ApiServer): void {
  const patch = { contentType: 'application/merge-patch+json', body: { metadata: { finalizers: null } } };
  for (const path of [machinesPath, hostsPath]) {
    for (const name of namesIn(ask(server, { method: 'GET', path }))) {
      if (path === machinesPath && !machines.includes(name)) continue;
      ask(server, { method: 'PATCH', path: `${path}/${name}`, ...patch });
      ask(server, { method: 'DELETE', path: `${path}/${name}` });
    }
  }
}

function ask(server: ApiServer, request: Omit<ApiRequest, 'identity' | 'query'>): Json {
  const answer = server.handle({ identity, query: {}, ...request });
  return 'status' in answer ? answer.body : null;
}

function namesIn(list: Json): readonly string[] {
  const items = isJsonObject(list) ? list['items'] : undefined;
  return (isJsonList(items) ? items : []).flatMap((item) => {
    const metadata = isJsonObject(item) ? item['metadata'] : undefined;
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

function machineOf(name: string): Json {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1alpha1',
    kind: 'ScalewayAppleSiliconMachine',
    metadata: { name, namespace: 'default' },
    spec: { zone, type, os: 'Tahoe' },
  };
}
