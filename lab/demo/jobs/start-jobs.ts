/**
 * Jobs in `muster up`, from a workflow to its runner: a database, a simulated GitHub, dispatch, two pools, simulated
 * Nodes with real shells in their Pods, and a job driver. The manager gets the address of dispatch.
 */
import type { RunnerPorts } from '../../../src/manager/runner-pools/runner-ports.ts';
import { DispatchReports, DispatchSignals } from '../../../src/manager/runner-pools/dispatch-client.ts';
import { withPath, type RunnersSettings } from '../../../src/manager/runner-pools/runner-settings.ts';
import { managerAudience } from '../../../src/api/names/audiences.ts';
import { labels } from '../../../src/api/names/labels.ts';
import { pods, serviceAccounts } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import { fieldsOf } from '../../../src/kube/client/fields.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import type { StatusRow } from '../../../src/cli/hosts/status-text.ts';
import { newToken } from '../../cli/control-token.ts';
import type { JobPorts, LocalDatabase, ProcessPorts } from '../../../src/cli/process-ports.ts';
import { demoNamespace as namespace } from '../demo-objects.ts';
import { startDemoDispatch, type DemoDispatch } from './demo-dispatch.ts';
import { startDemoGitHub, type DemoGitHub } from './demo-github.ts';
import { startDemoNodes } from './demo-nodes.ts';
import { JobDriver } from './job-driver.ts';
import { jobRow, poolRow } from './job-rows.ts';
import { makeRunners, managerAccount, platforms } from './runner-objects.ts';

export interface JobsPlace {
  readonly client: KubeClient;
  readonly ports: ProcessPorts;
  readonly report: (text: string) => void;
  /** The token of GitHub's control endpoint. */
  readonly controlToken: Secret;
  /** Ends everything, in reverse order. */
  readonly stack: AsyncDisposableStack;
}

export interface DemoJobs {
  readonly githubUrl: string;
  readonly dispatchUrl: string;
  /** The database of the job commands. */
  readonly databaseUrl: string;
  /** The runner settings of the manager. */
  readonly runners: { readonly settings: RunnersSettings; readonly ports: RunnerPorts };
  /** To be called once the manager runs. */
  begin(): Promise<void>;
  readonly rows: () => Promise<readonly StatusRow[]>;
}

/** Undefined where no database is available; the reason was reported. */
export async function startJobs(place: JobsPlace): Promise<DemoJobs | undefined> {
  const { client, ports, stack, report, controlToken } = place;
  const { jobs } = ports;
  const database = await databaseOf(place);
  if (jobs === undefined || database === undefined) return undefined;
  stack.defer(() => database.close());
  const keys = await keysOf(jobs, ports);
  const { clock, random } = ports;
  const onFailure = (error: unknown): void => report(`the simulated GitHub failed: ${String(error)}`);
  const github = await startDemoGitHub({ clock, random, ...keys, controlToken, onFailure });
  stack.defer(() => github.close());
  await makeRunners(client);
  const dispatch = await startDemoDispatch(
    { client, clock, random, ...keys, databaseUrl: database.url, githubUrl: github.url, report },
    stack,
  );
  return {
    githubUrl: github.url,
    dispatchUrl: dispatch.url,
    databaseUrl: database.url,
    runners: runnersAt(dispatch.url, place),
    begin: () => begin(place, github, dispatch),
    rows: () => rowsOf(client, github),
  };
}

async function databaseOf({ ports, report }: JobsPlace): Promise<LocalDatabase | undefined> {
  try {
    const database = await ports.jobs?.startDatabase();
    if (database === undefined) report('running no jobs: npm has no PostgreSQL for this machine');
    return database;
  } catch (error) {
    const [line = ''] = String(error).split('\n');
    report(`running no jobs: ${line}`);
    return undefined;
  }
}

async function keysOf({ makeAppKey }: JobPorts, ports: ProcessPorts) {
  return { appKey: await makeAppKey(), webhookSecret: newToken(ports) };
}

function runnersAt(url: string, { client, ports: { clock } }: JobsPlace): DemoJobs['runners'] {
  const readToken = (): Promise<string> => tokenOf(client);
  const settings = {
    namespace,
    template: { dispatchUrl: withPath(url, '/api/internal/runners/dispatch') },
  };
  const signals = new DispatchSignals({ url, clock, readToken });
  const reports = new DispatchReports({ url, clock, readToken });
  return { settings, ports: { signals, reports } };
}

/** In a cluster the kubelet mounts this token. */
async function tokenOf(client: KubeClient): Promise<string> {
  const spec = { audiences: [managerAudience] };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const place = { ...managerAccount, subresource: 'token' };
  const { token } = fieldsOf(fieldsOf(await client.review(serviceAccounts, body, place))['status']);
  if (typeof token !== 'string') throw new Error('the API returned no token for the manager');
  return token;
}

async function begin(place: JobsPlace, github: DemoGitHub, dispatch: DemoDispatch): Promise<void> {
  const { client, ports, report, stack, controlToken } = place;
  const { clock, random } = ports;
  await startDemoNodes({ client, clock, random, githubUrl: github.url, controlToken, report }, stack);
  const repository = github.open(`${dispatch.url}/webhooks/github`);
  const driver = new JobDriver({
    clock,
    random,
    isOpen: () => dispatch.isOpen(),
    order: (runsOn) => github.site.board.order({ repository, labels: ['self-hosted', runsOn] }),
    platforms: platforms.map(({ runsOn }) => runsOn),
    report,
    onFailure: (error) => report(`the demo failed: ${String(error)}`),
  });
  driver.start();
  stack.defer(() => driver.stop());
}

async function rowsOf(client: KubeClient, { site }: DemoGitHub): Promise<readonly StatusRow[]> {
  const labelSelector = `${labels.runner.key}=true`;
  const { items } = await client.listPage(pods, { namespace, labelSelector });
  const pools = platforms.map(({ name }) => name);
  return [poolRow(pools, items), jobRow(site.board.jobs)];
}
