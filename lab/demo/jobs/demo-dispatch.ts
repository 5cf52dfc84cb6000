/** Dispatch inside of `muster up`: one replica with its own database, over HTTP on loopback. */
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
  /** Reports errors that dispatch handles itself. */
  readonly report: (text: string) => void;
}

export interface DemoDispatch {
  readonly url: string;
  /** Whether dispatch takes jobs of all pools: an earlier webhook is refused. */
  isOpen(): Promise<boolean>;
}

/** Shorter times than in production: a person who tries the demo should not wait. */
const recovery = {
  staleClaimAfterMs: 60_000,
  orphanedRunnerAfterMs: 60_000,
  orphanedPodGraceMs: 60_000,
  orphanedPodsMax: 30,
  paused: [],
};

/** The stack ends everything that was started. */
export async function startDemoDispatch(
  ports: DemoDispatchPorts,
  stack: AsyncDisposableStack,
): Promise<DemoDispatch> {
  const { clock, databaseUrl, report } = ports;
  let isClosing = false;
  // The driver reports closed connections even when the demo closes them itself.
  const onLost = (error: Error): void =>
    isClosing ? undefined : report(`lost the database: ${error.message}`);
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
    onTrouble: (error) => report(`database notifications are down for now: ${String(error)}`),
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

/** Reports what needs a person. Other lines are dropped: jobs that end before GitHub says so are common. */
function loggerOf(report: (text: string) => void): Logger {
  return loggerTo(({ level, message, fields }) => {
    if (level === 'error' || level === 'fatal') report(`dispatch: ${message} ${detail(fields)}`);
  });
}

function detail(fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? value.message : value));
}
