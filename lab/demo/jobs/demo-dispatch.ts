/** Dispatch inside of `muster up`: one replica, on a database of its own, over HTTP on loopback. */
import { loggerTo } from '../../harness/logger-to.ts';
import { DispatchService } from '../../../src/dispatch/dispatch-service.ts';
import { OctokitGitHub } from '../../../src/dispatch/github/octokit-github.ts';
import { openDatabase } from '../../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../../src/dispatch/store/postgres/postgres-store.ts';
import { WakeListener } from '../../../src/dispatch/store/postgres/wake-listener.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import type { Logger } from '../../../src/platform/logger.ts';
import { noMetrics } from '../../../src/platform/metrics.ts';
import type { Random } from '../../../src/platform/random.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { demoNamespace as namespace } from '../demo-objects.ts';
import { appId } from './demo-github.ts';
import { managerAccount, platforms, repository } from './runner-objects.ts';

export interface DemoDispatchPorts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly databaseUrl: string;
  readonly githubUrl: string;
  readonly appKey: Secret;
  readonly webhookSecret: Secret;
  /** Told of what went wrong and is being dealt with. */
  readonly report: (text: string) => void;
}

export interface DemoDispatch {
  readonly url: string;
  /** Whether it takes jobs of all pools: a webhook that comes before that is refused. */
  isOpen(): Promise<boolean>;
}

/** Somebody who tries things out does not want to wait as long as a fleet can. */
const recovery = {
  staleClaimAfterMs: 60_000,
  orphanedRunnerAfterMs: 60_000,
  orphanedPodGraceMs: 60_000,
  orphanedPodsMax: 30,
  paused: [],
};

/** Everything that was begun is ended by the stack. */
export async function startDemoDispatch(
  ports: DemoDispatchPorts,
  stack: AsyncDisposableStack,
): Promise<DemoDispatch> {
  const { clock, databaseUrl, report } = ports;
  let isClosing = false;
  // The driver says that connections are closed when they are about to be.
  const onLost = (error: Error): void =>
    isClosing ? undefined : report(`the database was lost: ${error.message}`);
  const database = await openDatabase({ url: databaseUrl, connectionsMax: 10, onLost });
  stack.defer(() => {
    isClosing = true;
    return database.close();
  });
  const store = new PostgresStore(database.db, { clock });
  const service = makeService(store, ports);
  const listener = new WakeListener({
    url: new Secret(databaseUrl),
    clock,
    onWake: (pool) => service.wake(pool),
    onTrouble: (error) => report(`nothing is heard from the database for now: ${String(error)}`),
  });
  await listener.start();
  stack.defer(() => listener.stop());
  service.start();
  stack.defer(() => service.stop());
  const url = await service.server.listen({ host: '127.0.0.1', port: 0 });
  const isOpen = async (): Promise<boolean> => {
    const known = new Set((service.pools.routes() ?? []).map(({ name }) => name));
    return platforms.every(({ name }) => known.has(name)) && (await store.accounts()).length > 0;
  };
  return { url, isOpen };
}

function makeService(store: PostgresStore, ports: DemoDispatchPorts): DispatchService {
  const { client, clock, random, githubUrl: baseUrl, appKey: privateKey, webhookSecret, report } = ports;
  const app = { appId, privateKey };
  return new DispatchService(
    {
      namespace,
      webhookSecrets: [webhookSecret],
      pollWaitMs: 8000,
      recovery,
      manager: managerAccount,
      allowedAccounts: [repository.login],
    },
    {
      store,
      client,
      github: new OctokitGitHub({ app, clock, baseUrl, userAgent: 'muster-up' }),
      clock,
      random,
      metrics: noMetrics,
      logger: loggerOf(report),
      crash: (error) => report(`dispatch failed: ${String(error)}`),
    },
  );
}

/** What needs a person is told. What is being dealt with is not: jobs that end before GitHub says so are daily bread. */
function loggerOf(report: (text: string) => void): Logger {
  return loggerTo(({ level, message, fields }) => {
    if (level === 'error' || level === 'fatal') report(`dispatch: ${message} ${detail(fields)}`);
  });
}

function detail(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value));
}
