/**
 * A job from the webhook to its end, with mostly real parts: PostgreSQL, the official GitHub client against a simulated
 * GitHub over HTTP, and the embedded Kubernetes API, which issues the token of the Pod.
 */
import { loggerTo } from '../../lab/harness/logger-to.ts';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { askServer } from '../../lab/harness/ask-server.ts';
import { asControl, controlToken } from '../../lab/harness/control-token.ts';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { startNpmPostgres } from '../../test/integration/database/npm-postgres.ts';
import { Workplace } from '../../test/reference/launch/workplace.ts';
import { anyRandom, wallClock } from '../../lab/harness/wall-clock.ts';
import { managerAudience } from '../api/names/audiences.ts';
import { labels } from '../api/names/labels.ts';
import { installKinds } from '../embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import { timeText } from '../platform/time-text.ts';
import { KubeClient } from '../kube/client/client.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { Secret } from '../platform/secret.ts';
import { startGitHub, type StartedGitHub } from '../../lab/clouds/github/start-github.ts';
import { DispatchService } from './dispatch-service.ts';
import { jobMetricsListener } from './observe/job-metrics.ts';
import { OctokitGitHub } from './github/octokit-github.ts';
import { runnerAudience } from './api/token-review/runner-identities.ts';
import { usualRecovery } from './recovery/recovery-defaults.ts';
import { openDatabase, type Database } from './store/postgres/open-database.ts';
import { PostgresStore } from './store/postgres/postgres-store.ts';
import { WakeListener } from './store/postgres/wake-listener.ts';

/** The simulated GitHub delivers webhooks with a delay, as GitHub does. */
const patience = { timeout: 300_000, interval: 50 };
const namespace = 'tuist-runners';
const webhookSecret = 'shared with GitHub';

const metrics = new PromMetrics();
let workplace: Workplace;
let database: Database;
let store: PostgresStore;
let api: ApiServer;
let service: DispatchService;
let listener: WakeListener;
let github: StartedGitHub;
let dispatchUrl: string;

beforeAll(async () => {
  workplace = await Workplace.open('dispatch');
  const { port, user } = await startNpmPostgres(workplace);
  const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
  database = await openDatabase({ url, connectionsMax: 5, onLost: () => undefined });
  store = new PostgresStore(database.db, { reported: jobMetricsListener(metrics), clock: wallClock });
  api = new ApiServer({ clock: wallClock, random: anyRandom, tokenSecret: new Uint8Array(32) });
  installKinds(api);
  ask('/api/v1/namespaces', { metadata: { name: namespace } });
  const [githubPort = 0] = await workplace.ports(1);
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = new Secret(String(privateKey.export({ type: 'pkcs1', format: 'pem' })));
  service = serviceAt(`http://127.0.0.1:${githubPort}`, pem);
  service.start();
  dispatchUrl = await service.server.listen({ host: '127.0.0.1', port: 0 });
  listener = new WakeListener({
    url: new Secret(url),
    clock: wallClock,
    onWake: (pool) => service.wake(pool),
    onTrouble: () => undefined,
  });
  await listener.start();
  github = await startGitHub(
    {
      host: '127.0.0.1',
      port: githubPort,
      seed: 1,
      appId: '4711',
      appKey: publicKey,
      webhookUrl: `${dispatchUrl}/webhooks/github`,
      webhookSecret,
      controlToken,
    },
    { clock: wallClock, onFailure: (error) => expect.fail(String(error)) },
  );
});

afterAll(async () => {
  await github?.close();
  await listener?.stop();
  await service?.stop();
  await database?.close();
  await workplace?.close();
});

function serviceAt(baseUrl: string, privateKey: Secret): DispatchService {
  const limit = new RateLimit(wallClock, { perSecond: 1000, burst: 1000 });
  const transport = new EmbeddedTransport(api);
  const logger = loggerTo();
  return new DispatchService(
    {
      namespace,
      webhookSecrets: [new Secret('an older one'), new Secret(webhookSecret)],
      pollWaitMs: 60_000,
      recovery: usualRecovery,
      allowedAccounts: ['octo-org'],
      manager: { namespace: 'muster-system', name: 'muster-manager' },
      profiles: { labelPrefix: 'tuist-', poolPrefixes: { linux: 'shape', macos: 'mac' }, linuxSizes: [] },
    },
    {
      store,
      client: new KubeClient({ transport, clock: wallClock, limit, fieldManager: 'test' }),
      github: new OctokitGitHub({
        app: { appId: '4711', privateKey },
        clock: wallClock,
        baseUrl,
        userAgent: 'test',
      }),
      clock: wallClock,
      random: anyRandom,
      metrics,
      logger,
      crash: (error) => expect.fail(String(error)),
    },
  );
}

function ask(path: string, body?: object) {
  return askServer(api, { method: body === undefined ? 'GET' : 'POST', path, body });
}

async function control(path: string, body: object): Promise<void> {
  const answer = await fetch(`${github.url}/_control/${path}`, {
    method: 'POST',
    headers: asControl,
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

/** Creates a pool and one Pod; returns the token of the Pod. */
function startPod(pool: string, dispatchLabel: string, podName: string): string {
  ask(`/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`, {
    apiVersion: 'tuist.dev/v1alpha1',
    kind: 'RunnerPool',
    metadata: { name: pool },
    spec: {
      image: 'runner@sha256:1',
      fleetSelector: 'runners-linux',
      dispatchLabel,
      runnerLabels: ['self-hosted', 'Linux', 'X64'],
      os: 'linux',
      podCPUMilli: 4000,
      podMemoryMB: 8192,
    },
  });
  const marks = { labels: { [labels.runnerPool.key]: pool, [labels.runner.key]: 'true' } };
  ask(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: podName, ...marks } });
  const pod = ask(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name: podName, ...marks },
    spec: { serviceAccountName: podName, containers: [{ name: 'runner', image: 'runner@sha256:1' }] },
  });
  const uid = at(pod, 'metadata', 'uid');
  const made = ask(`/api/v1/namespaces/${namespace}/serviceaccounts/${podName}/token`, {
    spec: {
      audiences: [runnerAudience],
      boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: podName, uid },
    },
  });
  return String(at(made, 'status', 'token'));
}

/** A token of the manager's ServiceAccount, as in the settings. */
function managerToken(): string {
  ask('/api/v1/namespaces', { metadata: { name: 'muster-system' } });
  const accounts = '/api/v1/namespaces/muster-system/serviceaccounts';
  ask(accounts, { metadata: { name: 'muster-manager' } });
  return String(
    at(
      ask(`${accounts}/muster-manager/token`, { spec: { audiences: [managerAudience] } }),
      'status',
      'token',
    ),
  );
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? Object.entries(inner).find(([key]) => key === name)?.[1]
        : undefined,
    value,
  );
}

async function poll(token: string) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const url = `${dispatchUrl}/api/internal/runners/dispatch`;
  const answer = await fetch(url, { method: 'POST', headers, body: '{}' });
  return { status: answer.status, body: answer.status === 200 ? await answer.json() : undefined };
}

/** Starts a GitHub runner with the registration, which does the job. */
async function runJob(body: unknown, jobId: string): Promise<void> {
  await control('runner', {
    jitConfig: at(body, 'encoded_jit_config'),
    comesAfterMs: 1,
    jobMs: 1,
    reportsAfterMs: 1,
  });
  await expect.poll(async () => (await store.job(jobId))?.state, patience).toBe('completed');
}

it('a job queued at GitHub reaches a waiting Pod, runs, and leaves nothing behind', async () => {
  const podName = 'linux-runner-0a1b2c3d';
  const token = startPod('linux', 'tuist-linux', podName);
  await control('account', { login: 'octo-org', repositories: ['app'] });
  await expect
    .poll(async () => (await store.accounts()).map(({ login }) => login), patience)
    .toEqual(['octo-org']);
  await expect.poll(() => service.pools.routes()?.length, patience).toBe(1);
  // The Pod waits before there is a job, so the notification of the database wakes it.
  const waiting = poll(token);
  await control('job', { repository: 'octo-org/app', labels: ['self-hosted', 'tuist-linux'] });
  const { status, body } = await waiting;
  expect([status, at(body, 'owner')]).toEqual([200, 'octo-org']);
  const jobId = String(at(body, 'workflow_job_id'));
  expect(BigInt(jobId) > BigInt(Number.MAX_SAFE_INTEGER)).toBe(true);
  const pod = ask(`/api/v1/namespaces/${namespace}/pods/${podName}`);
  expect(at(pod, 'metadata', 'labels', labels.runnerPoolOwner.key)).toBe('octo-org');
  expect((await store.openSessions()).map((session) => session.jobId)).toEqual([jobId]);

  // The Pod gets no second registration, whatever is queued.
  expect((await poll(token)).status).toBe(410);

  await runJob(body, jobId);
  expect(await store.job(jobId)).toMatchObject({ conclusion: 'success' });
  expect(await store.claims()).toEqual([]);

  const manager = managerToken();
  const replicas = await fetch(`${dispatchUrl}/api/internal/runners/desired_replicas?fleet=linux`, {
    headers: { authorization: `Bearer ${manager}` },
  });
  expect(await replicas.json()).toMatchObject({ fleet: 'linux', claimed: 0, queued: 0, occupied: 1 });
  const report = {
    pod_name: podName,
    pod_uid: at(pod, 'metadata', 'uid'),
    ended_at: timeText(wallClock.now()),
  };
  const stopped = await fetch(`${dispatchUrl}/api/internal/runners/pods/stopped`, {
    method: 'POST',
    headers: { authorization: `Bearer ${manager}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...report, exit_code: 0, reason: 'Completed' }),
  });
  expect(stopped.status).toBe(204);
  expect(await store.openSessions()).toEqual([]);
  expect((await store.job(jobId))?.ending).toMatchObject({ exitCode: 0, reason: 'Completed' });
});

/** Samples of metrics with this prefix. */
async function measured(beginning: string): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => line.startsWith(beginning));
}

it('the job is counted once at each step, and a deleted pool has no series', async () => {
  expect((await measured('tuist_runners_job_')).filter((line) => /_count\{[^}]*\} /.test(line))).toEqual(
    [
      'enqueued_count{fleet="linux"}',
      'claim_count{fleet="linux"}',
      'queue_time_milliseconds_count{fleet="linux"}',
      'running_count{fleet="linux"}',
      'queue_to_running_time_milliseconds_count{fleet="linux"}',
      'claim_to_running_time_milliseconds_count{fleet="linux"}',
      'completed_count{fleet="linux",conclusion="success"}',
      'total_time_milliseconds_count{fleet="linux"}',
      'run_time_milliseconds_count{fleet="linux"}',
    ].map((name) => `tuist_runners_job_${name} 1`),
  );
  expect(await measured('tuist_runners_dispatch_request_duration_milliseconds_count')).toEqual(
    ['served', 'drain'].map(
      (outcome) =>
        `tuist_runners_dispatch_request_duration_milliseconds_count{fleet="linux",outcome="${outcome}"} 1`,
    ),
  );
  const pools = `/apis/tuist.dev/v1alpha1/namespaces/${namespace}/runnerpools`;
  askServer(api, {
    method: 'PATCH',
    path: `${pools}/linux`,
    body: { spec: { replicas: 3, autoscaling: { enabled: true, maxReplicas: 9 } } },
  });
  await expect
    .poll(async () => measured('tuist_runners_pool_replicas'), patience)
    .toEqual([
      'tuist_runners_pool_replicas_desired{fleet="linux"} 3',
      'tuist_runners_pool_replicas_observed{fleet="linux"} 0',
      'tuist_runners_pool_replicas_max{fleet="linux"} 9',
    ]);
  askServer(api, { method: 'DELETE', path: `${pools}/linux` });
  await expect.poll(async () => measured('tuist_runners_pool_replicas'), patience).toEqual([]);
});

it('a job that names a profile runs on the pool of its size, on a runner with the label of the profile', async () => {
  const [account] = await store.accounts();
  const size = { platform: 'linux', vcpus: 4, memoryGb: 8 } as const;
  await store.putProfile({ accountId: account?.id ?? '', name: 'medium', ...size });
  const pool = 'shape-4vcpu-8gb';
  const token = startPod(pool, 'another-label', `${pool}-runner-0a1b2c3d`);
  await expect.poll(() => service.pools.routes()?.map(({ name }) => name), patience).toContain(pool);
  const waiting = poll(token);
  await control('job', { repository: 'octo-org/app', labels: ['self-hosted', 'Tuist-Medium'] });
  const { status, body } = await waiting;
  expect(status).toBe(200);
  const jobId = String(at(body, 'workflow_job_id'));
  expect(await store.job(jobId)).toMatchObject({ pool, label: 'tuist-medium' });
  // Later webhooks still find the job.
  await store.removeProfile(account?.id ?? '', 'medium');
  // The simulated GitHub gives a runner only jobs whose labels the runner has.
  await runJob(body, jobId);
  expect(await store.claims()).toEqual([]);
});
