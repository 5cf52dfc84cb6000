/**
 * The parts that `muster up` runs beside the API: Macs of a simulated Scaleway, a manager for them, a stand-in for the
 * core of Cluster API, and Nodes for their Machines. By default also a demo fleet, and jobs on runners.
 */
import type { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { usualPoolPrefix } from '../../src/api/names/host-names.ts';
import { FleetManager } from '../../src/manager/manager.ts';
import type { FleetSettings } from '../../src/manager/host-settings.ts';
import { readCredentials } from '../../src/hosts/provider/scaleway/credentials.ts';
import { openScaleway } from '../../src/hosts/provider/scaleway/open.ts';
import type { Secret } from '../../src/platform/secret.ts';
import { uuid } from '../../src/platform/ids.ts';
import { KubeClient } from '../../src/kube/client/client.ts';
import { HttpTransport } from '../../src/kube/client/http-transport.ts';
import { readKubeconfig } from '../../src/kube/client/kubeconfig.ts';
import { KubePodLogs } from '../../src/kube/client/pod-logs.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { ClusterApiCore } from '../clouds/cluster-api/core.ts';
import { installClusterApi } from '../clouds/cluster-api/crds.ts';
import { startCloud, type StartedCloud } from '../clouds/scaleway/start-cloud.ts';
import { newToken } from '../cli/control-token.ts';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import { DemoDriver } from './demo-driver.ts';
import { demoServers, makeDemoFleet } from './demo-objects.ts';
import { startJobs, type DemoJobs } from './jobs/start-jobs.ts';
import { clearLeftovers } from './leftovers.ts';
import { NodeRegistrar } from './node-registrar.ts';

export interface FleetPlace {
  readonly server: ApiServer;
  readonly kubeconfig: string;
  readonly readFile: (path: string) => Promise<string>;
  readonly hasDemo: boolean;
  readonly hasJobs: boolean;
  /** Reports actions of the demo, and errors that are being handled. */
  readonly report: (text: string) => void;
}

export interface SimulatedFleet {
  readonly cloudUrl: string;
  /** The token of the control endpoints of the cloud and of GitHub. */
  readonly controlToken: Secret;
  readonly hosts: number;
  readonly client: KubeClient;
  /** Undefined without jobs. */
  readonly jobs: DemoJobs | undefined;
  close(): Promise<void>;
}

const userAgent = 'muster-up';
/** What takes 15 to 20 minutes at Scaleway takes as many seconds. */
const timeScale = 60;
const seeds = 2 ** 31;

/** A single manager on one machine can use short lease times. */
const settings: FleetSettings = {
  zones: [demoServers.zone],
  defaultPoolPrefix: usualPoolPrefix,
  claimPrefix: 'demo-',
  inventoryIntervalMs: 5000,
  sweepIntervalMs: 30_000,
  reclaimsMax: 2,
  duplicateRepairsMax: 2,
  workers: 4,
  secretsNamespace: 'default',
  leaseNamespace: 'default',
  leaseName: 'muster-manager',
  lease: { durationMs: 4000, actMs: 2500, handoverMs: 1000 },
};

interface Begun {
  readonly place: FleetPlace;
  readonly ports: ProcessPorts;
  readonly transport: HttpTransport;
  readonly client: KubeClient;
  readonly stack: AsyncDisposableStack;
}

export async function startSimulatedFleet(place: FleetPlace, ports: ProcessPorts): Promise<SimulatedFleet> {
  const stack = new AsyncDisposableStack();
  try {
    clearLeftovers(place.server);
    const controlToken = newToken(ports);
    const cloud = await cloudOf(place, ports, controlToken);
    stack.defer(() => cloud.close());
    const transport = await transportTo(place, ports);
    stack.defer(() => transport.close());
    const limit = new RateLimit(ports.clock, { perSecond: 50, burst: 100 });
    const client = new KubeClient({ transport, clock: ports.clock, limit, fieldManager: userAgent });
    const begun: Begun = { place, ports, transport, client, stack };
    // Before the manager checks which kinds exist.
    await installClusterApi(client);
    const jobs = place.hasJobs
      ? await startJobs({ client, ports, stack, report: place.report, controlToken })
      : undefined;
    await startManager(cloud, begun, jobs);
    startClusterApi(begun);
    if (place.hasDemo) await startDemo(begun);
    await jobs?.begin();
    const close = (): Promise<void> => stack.disposeAsync();
    return { cloudUrl: cloud.url, controlToken, hosts: demoServers.count, client, jobs, close };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** Other servers than at the last start: a person's machine must not find its lost host under an old id. */
function cloudOf(
  { report }: FleetPlace,
  { clock, random }: ProcessPorts,
  controlToken: Secret,
): Promise<StartedCloud> {
  const { zone, type, count: hosts } = demoServers;
  const seed = Math.floor(random.next() * seeds);
  const address = { host: '127.0.0.1', port: 0 };
  return startCloud(
    { ...address, hosts, type, seed, timeScale, zones: [zone], controlToken },
    { clock, onFailure: (error) => report(`the simulated cloud failed: ${String(error)}`) },
  );
}

async function transportTo(place: FleetPlace, { clock }: ProcessPorts): Promise<HttpTransport> {
  const now = (): number => clock.now();
  const runProgram = (): Promise<never> => Promise.reject(new Error('none is named'));
  const connection = await readKubeconfig(
    { file: place.kubeconfig },
    { readFile: place.readFile, now, runProgram },
  );
  return new HttpTransport({ connection, userAgent, now });
}

async function startManager(
  cloud: StartedCloud,
  { place, ports, transport, stack }: Begun,
  jobs: DemoJobs | undefined,
): Promise<void> {
  const { clock, random, makeSshKey } = ports;
  const readFile = (): Promise<undefined> => Promise.resolve(undefined);
  const credentials = await readCredentials({ env: cloud.environment, readFile });
  const manager = new FleetManager(
    jobs === undefined ? settings : { ...settings, runners: jobs.runners.settings },
    {
      transport,
      provider: openScaleway({ credentials, clock, userAgent }),
      clock,
      random,
      identity: `up-${uuid(random)}`,
      log: () => undefined,
      exit: (why) => place.report(`the manager ended: ${why}`),
      crash: (error) => place.report(`the manager failed: ${String(error)}`),
      ...(makeSshKey !== undefined && { makeSshKey }),
      ...(jobs !== undefined && {
        runners: { ...jobs.runners.ports, logs: new KubePodLogs({ transport, clock }) },
      }),
    },
  );
  manager.start();
  stack.defer(() => manager.stop());
}

function startClusterApi({ place, ports, transport, client, stack }: Begun): void {
  const { clock, random } = ports;
  const core = new ClusterApiCore({ transport, clock, random, log: () => undefined });
  core.start();
  stack.defer(() => core.stop());
  const onFailure = (error: unknown): void => place.report(`a Node could not join: ${String(error)}`);
  const registrar = new NodeRegistrar({ client, clock, random, onFailure });
  registrar.start();
  stack.defer(() => registrar.stop());
}

async function startDemo({ place, ports, client, stack }: Begun): Promise<void> {
  const { clock, random } = ports;
  await makeDemoFleet(client);
  const onFailure = (error: unknown): void => place.report(`the demo failed: ${String(error)}`);
  const driver = new DemoDriver({ client, clock, random, report: place.report, onFailure });
  driver.start();
  stack.defer(() => driver.stop());
}
