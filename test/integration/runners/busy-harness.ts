/**
 * Everything between workflows and runners, with real processes for every shipped program: managers and dispatchers
 * with a PostgreSQL, on a real kube-apiserver, with a simulated GitHub over HTTP and simulated Nodes.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openDatabase } from '../../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../../src/dispatch/store/postgres/postgres-store.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { fixed } from '../../../src/kube/client/credential-sources.ts';
import { HttpTransport } from '../../../src/kube/client/http-transport.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { serveGitHub } from '../../../lab/clouds/github/http-server.ts';
import { GitHubSite } from '../../../lab/clouds/github/site.ts';
import { webhookPoster } from '../../../lab/clouds/github/webhook-poster.ts';
import { Agent } from '../../../src/agent/agent.ts';
import type { NodeShape } from '../../../src/agent/node/node-object.ts';
import { RandomStreams } from '../../../lab/simulator/engine/random-streams.ts';
import { controlToken } from '../../../lab/harness/control-token.ts';
import { startNpmPostgres } from '../database/npm-postgres.ts';
import { startLoggedCloud } from '../hosts/logged-cloud.ts';
import { KeptProcess } from '../../reference/kept-process.ts';
import { startKubeFrom } from '../../reference/bring-up.ts';
import type { Harness } from '../../reference/describe-integration.ts';
import type { Kube } from '../../reference/launch/kube.ts';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { openFrontDoor } from './front-door.ts';
import { pollingGuests } from './polling-guest.ts';

export const namespace = 'tuist-runners';
const system = 'muster-system';
const appId = '4711';
const webhookSecret = 'shared with GitHub';
const zone = 'fr-par-1';
/** The shortest possible times: tests should not wait for repairs after a crash. */
const recovery = ['--stale-claim-after=30s', '--orphaned-runner-after=60s', '--orphaned-pod-grace=60s'];
const leading = ['--lease-duration=3s', '--lease-handover=2s', '--provider-deadline=3s'];

export interface Cast {
  /** The number of managers, and of dispatchers. */
  readonly replicas: number;
  /** Users whose requests are kept in an audit log. */
  readonly audited?: readonly string[];
  /** The exit code of a job's container; 0 by default. */
  readonly exitCode?: () => number;
  /** Creates everything in the API that must exist before the processes start. */
  readonly install: (kube: Kube) => Promise<Installed>;
}

/** The identity of a process, and its flags beside those of the harness. */
interface Role {
  readonly kubeconfig: string;
  readonly args: readonly string[];
}

export interface Installed {
  readonly manager: Role;
  readonly dispatch: Role;
  /** The token of the manager for dispatch. */
  readonly managerToken: string;
}

export interface BusyHarness {
  readonly kube: Kube;
  readonly client: KubeClient;
  readonly store: PostgresStore;
  readonly site: GitHubSite;
  /** The processes that may be killed. */
  readonly processes: readonly KeptProcess[];
  readonly addNode: (node: NodeShape) => void;
  close(): Promise<void>;
}

export async function openBusyHarness(harness: Harness, cast: Cast): Promise<BusyHarness> {
  const { bench, workplace } = harness;
  const stack = new AsyncDisposableStack();
  const alsoRun = ['controller-manager', 'scheduler'] as const;
  const { audited = [], replicas } = cast;
  const kube = await startKubeFrom(bench, { workplace, alsoRun, audited });
  const installed = await cast.install(kube);
  const client = await clientOf(kube);
  const { port, user } = await startNpmPostgres(workplace);
  const databaseUrl = `postgres://${user}@127.0.0.1:${port}/postgres`;
  const database = await openDatabase({ url: databaseUrl, connectionsMax: 5, onLost: () => undefined });
  stack.defer(() => database.close());
  const ports = await workplace.ports(replicas);
  const door = await openFrontDoor(ports);
  stack.defer(() => door.close());
  const github = await startSite(`${door.url}/webhooks/github`, workplace.dir);
  stack.defer(() => github.close());
  const place: Place = { harness, cast, installed, databaseUrl, github, doorUrl: door.url, stack };
  const processes = [...(await startDispatchers(place, ports)), ...(await startManagers(place))];
  stack.defer(async () => void (await Promise.all(processes.map((one) => one.stop()))));
  const { site } = github;
  const store = new PostgresStore(database.db, { clock });
  const addNode = (node: NodeShape): void => startNode(place, client, node);
  return { kube, client, store, site, processes, addNode, close: () => stack.disposeAsync() };
}

interface Place {
  readonly harness: Harness;
  readonly cast: Cast;
  readonly installed: Installed;
  readonly databaseUrl: string;
  readonly github: Awaited<ReturnType<typeof startSite>>;
  readonly doorUrl: string;
  readonly stack: AsyncDisposableStack;
}

async function startDispatchers(place: Place, listens: readonly number[]): Promise<readonly KeptProcess[]> {
  const { harness, installed, databaseUrl, github } = place;
  const { dir, died: unwanted } = harness.workplace;
  const probes = await harness.workplace.ports(listens.length);
  return listens.map((listen, index) => {
    const args = staged(installed.dispatch.args, [
      `--kubeconfig=${installed.dispatch.kubeconfig}`,
      `--listen=127.0.0.1:${listen}`,
      `--replicas=${listens.length}`,
      `--database-url=${databaseUrl}`,
      `--github-url=${github.url}`,
      `--github-app-id=${appId}`,
      `--github-app-key-file=${github.keyFile}`,
      `--webhook-secret-file=${github.secretFile}`,
      '--allowed-accounts=*',
      ...recovery,
    ]);
    const name = `dispatch-${index}`;
    return new KeptProcess({
      command: 'dispatch',
      name,
      dir,
      unwanted,
      env: {},
      port: probes[index] ?? 0,
      args,
    });
  });
}

async function startManagers(place: Place): Promise<readonly KeptProcess[]> {
  const { harness, cast, installed, doorUrl, stack } = place;
  const { dir, died: unwanted } = harness.workplace;
  const cloud = await startLoggedCloud({ zone, hosts: 1, foreign: [], replyMs: 0 });
  stack.defer(() => cloud.close());
  const tokenFile = join(dir, 'manager-token');
  await writeFile(tokenFile, installed.managerToken, { mode: 0o600 });
  const args = staged(installed.manager.args, [
    `--kubeconfig=${installed.manager.kubeconfig}`,
    `--dispatch-url=${doorUrl}`,
    `--dispatch-internal-url=${doorUrl}`,
    `--scaling-signals-url=${doorUrl}`,
    `--sessions-url=${doorUrl}`,
    `--dispatch-token-file=${tokenFile}`,
    ...leading,
  ]);
  const { environment: env } = cloud;
  return (await harness.workplace.ports(cast.replicas)).map(
    (port, index) =>
      new KeptProcess({ command: 'manager', name: `manager-${index}`, dir, unwanted, env, port, args }),
  );
}

/** The installed flags, except for those that the harness sets itself; a duplicate flag is refused. */
function staged(installed: readonly string[], own: readonly string[]): readonly string[] {
  const nameOf = (arg: string): string => arg.slice(0, arg.indexOf('='));
  const taken = new Set(['--probe-listen', ...own.map(nameOf)]);
  return [...installed.filter((arg) => !taken.has(nameOf(arg))), ...own];
}

function startNode({ cast, github, stack }: Place, client: KubeClient, node: NodeShape): void {
  const jobMs = (): number => 1000 + Math.floor(random.next() * 1000);
  const { site, url: githubUrl } = github;
  const driver = pollingGuests({ site, githubUrl, jobMs, exitCode: cast.exitCode });
  const onFault = (error: unknown): void => expect.fail(String(error));
  const agent = new Agent({ client, clock, random, node, driver, log: () => undefined, onFault });
  agent.start();
  stack.defer(() => agent.stop());
}

/** With all permissions, and without a chart. */
export async function asAdministrator(kube: Kube): Promise<Installed> {
  await kube.mustKubectl(['apply', '-f', 'charts/muster/crds']);
  await kube.mustKubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  for (const name of [namespace, system]) await kube.mustKubectl(['create', 'namespace', name]);
  await kube.mustKubectl(['-n', system, 'create', 'serviceaccount', 'muster-manager']);
  const token = await kube.mustKubectl([
    '-n',
    system,
    'create',
    'token',
    'muster-manager',
    '--audience=muster-dispatch',
  ]);
  const { adminKubeconfig: kubeconfig } = kube;
  return {
    manager: { kubeconfig, args: ['--lease-namespace=default'] },
    dispatch: { kubeconfig, args: [`--manager-service-account=${system}/muster-manager`] },
    managerToken: token.trim(),
  };
}

async function clientOf(kube: Kube): Promise<KubeClient> {
  const { certificate: pem, key } = await kube.authority.client('agents', ['system:masters']);
  const credentials = fixed({ certificate: { pem, key: new Secret(key) } });
  const connection = { server: kube.url, authority: kube.authority.certificate, credentials };
  const transport = new HttpTransport({ connection, userAgent: 'muster/test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  return new KubeClient({ transport, clock, limit, fieldManager: 'agent' });
}

async function startSite(webhookUrl: string, dir: string) {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ type: 'pkcs1', format: 'pem' }));
  const [keyFile, secretFile] = [join(dir, 'app.pem'), join(dir, 'webhook-secret')];
  await writeFile(keyFile, pem, { mode: 0o600 });
  await writeFile(secretFile, webhookSecret, { mode: 0o600 });
  const streams = new RandomStreams(1);
  const site = new GitHubSite(
    { app: { id: appId, publicKey: createPublicKey(pem) }, webhookSecret, base: 'https://api.github.test' },
    { clock, random: (name) => streams.stream(name), post: webhookPoster(webhookUrl, clock) },
  );
  const onFailure = (error: unknown): void => expect.fail(String(error));
  const face = await serveGitHub({ site, clock, host: '127.0.0.1', port: 0, onFailure, controlToken });
  const close = async (): Promise<void> => {
    site.close();
    await face.close();
  };
  return { site, url: face.url, keyFile, secretFile, close };
}
