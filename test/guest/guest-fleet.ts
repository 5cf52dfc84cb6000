/**
 * Everything between a workflow and its runner: PostgreSQL, a simulated GitHub over HTTP, dispatch, the embedded Kubernetes
 * API, and a simulated Node whose Pods run the shipped programs in a real shell.
 */
import { loggerTo } from '../../lab/harness/logger-to.ts';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DispatchService } from '../../src/dispatch/dispatch-service.ts';
import { anyAccount } from '../../src/dispatch/webhooks/allowed-accounts.ts';
import { OctokitGitHub } from '../../src/dispatch/github/octokit-github.ts';
import { usualRecovery } from '../../src/dispatch/recovery/recovery-defaults.ts';
import { openDatabase, type Database } from '../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../src/dispatch/store/postgres/postgres-store.ts';
import { WakeListener } from '../../src/dispatch/store/postgres/wake-listener.ts';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { KubeClient } from '../../src/kube/client/client.ts';
import { PromMetrics } from '../../src/platform/process/prom-metrics.ts';
import { RateLimit } from '../../src/platform/rate-limit.ts';
import { Secret } from '../../src/platform/secret.ts';
import { startGitHub, type StartedGitHub } from '../../lab/clouds/github/start-github.ts';
import { Agent } from '../../src/agent/agent.ts';
import type { NodeShape } from '../../src/agent/node/node-object.ts';
import { simulatedDriver } from '../../lab/clouds/nodes/simulated-driver.ts';
import { asControl, controlToken } from '../../lab/harness/control-token.ts';
import { startNpmPostgres } from '../integration/database/npm-postgres.ts';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { Workplace } from '../reference/launch/workplace.ts';
import { anyRandom, wallClock } from '../../lab/harness/wall-clock.ts';

export const namespace = 'tuist-runners';
const webhookSecret = 'shared with GitHub';
const quick = {
  TUIST_RUNNER_POLL_INTERVAL_SECONDS: '0',
  TUIST_RUNNER_WORKER_NAME: 'NoSuch.Worker',
  SIM_RUNNER_COMES_AFTER_MS: '1',
  SIM_RUNNER_JOB_MS: '300',
  SIM_RUNNER_LOOK_SECONDS: '0.1',
};

export class GuestFleet {
  readonly api = new ApiServer({ clock: wallClock, random: anyRandom, tokenSecret: new Uint8Array(32) });
  readonly client: KubeClient;
  /** The output of the Pods. */
  output = '';
  readonly #workplace: Workplace;
  readonly #closing: (() => Promise<unknown>)[] = [];
  #store: PostgresStore | undefined;
  #github: StartedGitHub | undefined;
  #service: DispatchService | undefined;
  #dispatchUrl = '';

  private constructor(workplace: Workplace) {
    this.#workplace = workplace;
    this.#closing.push(() => workplace.close());
    installKinds(this.api);
    this.client = new KubeClient({
      transport: new EmbeddedTransport(this.api),
      clock: wallClock,
      limit: new RateLimit(wallClock, { perSecond: 1000, burst: 1000 }),
      fieldManager: 'test',
    });
  }

  static async open(): Promise<GuestFleet> {
    const fixture = new GuestFleet(await Workplace.open('guest'));
    const { port, user } = await startNpmPostgres(fixture.#workplace);
    const url = `postgres://${user}@127.0.0.1:${port}/postgres`;
    const database = await openDatabase({ url, connectionsMax: 5, onLost: () => undefined });
    fixture.#closing.push(() => database.close());
    await fixture.#start(database, new Secret(url));
    return fixture;
  }

  get store(): PostgresStore {
    if (this.#store === undefined) throw new Error('the fleet is not open');
    return this.#store;
  }

  /** The address for polls of Pods. */
  get pollUrl(): string {
    return `${this.#dispatchUrl}/api/internal/runners/dispatch`;
  }

  /** The pools that dispatch knows. */
  pools(): readonly string[] {
    return (this.#service?.pools.routes() ?? []).map(({ name }) => name);
  }

  async control(path: string, body: object): Promise<void> {
    const answer = await fetch(`${this.#github?.url}/_control/${path}`, {
      method: 'POST',
      headers: asControl,
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  }

  async addNode(node: NodeShape): Promise<Agent> {
    const folder = join(this.#workplace.dir, node.name);
    await mkdir(folder);
    const agent = new Agent({
      client: this.client,
      clock: wallClock,
      random: anyRandom,
      node,
      driver: simulatedDriver({
        folder,
        clock: wallClock,
        githubUrl: this.#github?.url ?? '',
        controlToken,
        env: quick,
        onOutput: (_pod, text) => void (this.output += text),
      }),
      log: () => undefined,
      onFault: (error) => expect.fail(String(error)),
    });
    agent.start();
    this.#closing.push(() => agent.stop());
    return agent;
  }

  /** In reverse order. */
  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
  }

  async #start(database: Database, databaseUrl: Secret): Promise<void> {
    this.#store = new PostgresStore(database.db, { clock: wallClock });
    const [githubPort = 0] = await this.#workplace.ports(1);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = new Secret(String(privateKey.export({ type: 'pkcs1', format: 'pem' })));
    const service = this.#makeService(`http://127.0.0.1:${githubPort}`, pem);
    this.#service = service;
    service.start();
    this.#closing.push(() => service.stop());
    this.#dispatchUrl = await service.server.listen({ host: '127.0.0.1', port: 0 });
    const listener = new WakeListener({
      url: databaseUrl,
      clock: wallClock,
      onWake: (pool) => service.wake(pool),
      onTrouble: () => undefined,
    });
    await listener.start();
    this.#closing.push(() => listener.stop());
    const webhookUrl = `${this.#dispatchUrl}/webhooks/github`;
    const where = { host: '127.0.0.1', port: githubPort, seed: 1 };
    const github = await startGitHub(
      { ...where, appId: '4711', appKey: publicKey, webhookUrl, webhookSecret, controlToken },
      { clock: wallClock, onFailure: (error) => expect.fail(String(error)) },
    );
    this.#github = github;
    this.#closing.push(() => github.close());
  }

  #makeService(baseUrl: string, privateKey: Secret): DispatchService {
    const app = { appId: '4711', privateKey };
    const logger = loggerTo();
    return new DispatchService(
      {
        namespace,
        webhookSecrets: [new Secret(webhookSecret)],
        pollWaitMs: 2000,
        manager: { namespace: 'muster-system', name: 'muster-manager' },
        recovery: usualRecovery,
        allowedAccounts: [anyAccount],
      },
      {
        store: this.store,
        client: this.client,
        github: new OctokitGitHub({ app, clock: wallClock, baseUrl, userAgent: 'test' }),
        clock: wallClock,
        random: anyRandom,
        metrics: new PromMetrics(),
        logger,
        crash: (error) => expect.fail(String(error)),
      },
    );
  }
}
