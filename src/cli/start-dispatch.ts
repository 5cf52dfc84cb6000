/** Builds a dispatch replica: settings, log, metrics, probes, database, GitHub client and service. */
import { DatabaseHealthCheck } from '../dispatch/observe/database-health-check.ts';
import { DispatchService } from '../dispatch/dispatch-service.ts';
import { dispatchSettings, stopTimesOf } from '../dispatch/dispatch-settings.ts';
import { jobMetricsListener } from '../dispatch/observe/job-metrics.ts';
import { OutageLog } from '../dispatch/observe/outage-log.ts';
import { profilesFrom } from '../dispatch/profile-settings.ts';
import type { RecoveryOptions } from '../dispatch/recovery/recovery.ts';
import { openDatabase, type Database } from '../dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../dispatch/store/postgres/postgres-store.ts';
import { WakeListener } from '../dispatch/store/postgres/wake-listener.ts';
import { KubeClient } from '../kube/client/client.ts';
import { HttpTransport } from '../kube/client/http-transport.ts';
import type { Logger } from '../platform/logger.ts';
import { cacheCheck, type Check } from '../platform/process/health-check.ts';
import { linesTo, pinoLogger } from '../platform/process/pino-logger.ts';
import { serveProbes } from '../platform/process/probe-server.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { runProcess, type Outside, type Running } from '../platform/process/run-process.ts';
import { readSettings, type Given } from '../platform/settings/read-settings.ts';
import type { Values } from '../platform/settings/setting.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { openGitHub, userAgent } from './dispatch-github.ts';
import { connectionFor } from './kube-connection.ts';
import type { ClusterPorts, ProcessPorts } from './process-ports.ts';
import { explainListening } from './server-options.ts';

export interface DispatchProcessPorts extends ProcessPorts, ClusterPorts {
  readonly life: Outside;
}

type Settings = Values<typeof dispatchSettings>;
/** Standard error: standard output is for the result of a command. */
const logTo = 2;
const kubeDeadlineMs = 5000;
const kubePerSecond = 500;
/** No job is lost during the outage: Pods poll again by themselves. */
const wakeWords = {
  lost: 'lost the wake-up notifications of the database',
  isBack: 'restored the wake-up notifications of the database',
};

export async function startDispatch(given: Given, ports: DispatchProcessPorts): Promise<void> {
  const { clock, life } = ports;
  const settings = await readSettings(dispatchSettings, given, ports);
  const logger = pinoLogger({ clock, level: settings.logLevel, lines: linesTo(logTo) });
  const replica = new Replica(settings, ports, logger);
  await runProcess({
    clock,
    logger,
    outside: life,
    ...stopTimesOf(settings),
    start: (running) => replica.start(running),
  });
}

class Replica {
  readonly #settings: Settings;
  readonly #ports: DispatchProcessPorts;
  readonly #logger: Logger;
  readonly #metrics = new PromMetrics();

  constructor(settings: Settings, ports: DispatchProcessPorts, logger: Logger) {
    this.#settings = settings;
    this.#ports = ports;
    this.#logger = logger;
  }

  async start(running: Running): Promise<void> {
    const { clock, random } = this.#ports;
    const { namespace, webhookSecretFile, pollWait, managerServiceAccount, listen, allowedAccounts } =
      this.#settings;
    this.#metrics.measureProcess();
    const client = await this.#client(running);
    const github = await openGitHub(this.#settings, this.#ports);
    const database = await this.#database(running);
    const service = new DispatchService(
      {
        namespace,
        webhookSecrets: webhookSecretFile,
        pollWaitMs: pollWait,
        recovery: this.#recovery(),
        manager: managerServiceAccount,
        allowedAccounts,
        profiles: profilesFrom(this.#settings),
      },
      {
        store: new PostgresStore(database.db, { reported: jobMetricsListener(this.#metrics), clock }),
        client,
        github,
        clock,
        random,
        metrics: this.#metrics,
        logger: this.#logger,
        crash: running.crash,
      },
    );
    await this.#serveProbes(running, service, this.#healthCheck(running, database));
    await this.#listen(running, service);
    service.start();
    const url = await service.server.listen(listen).catch((error: unknown) => {
      throw explainListening(error, listen);
    });
    this.#logger.info('started to serve webhooks and runner Pods', { url });
    running.onStop('requests', () => service.stop());
  }

  #recovery(): RecoveryOptions {
    const settings = this.#settings;
    return {
      staleClaimAfterMs: settings.staleClaimAfter,
      orphanedRunnerAfterMs: settings.orphanedRunnerAfter,
      orphanedPodGraceMs: settings.orphanedPodGrace,
      orphanedPodsMax: settings.orphanedPodsMax,
      paused: settings.recoveryPaused,
    };
  }

  async #client(running: Running): Promise<KubeClient> {
    const { clock } = this.#ports;
    const connection = await connectionFor(this.#settings, this.#ports);
    const transport = new HttpTransport({ connection, userAgent, now: () => clock.now() });
    running.onStop('connections', () => transport.close());
    const limit = new RateLimit(clock, { perSecond: kubePerSecond, burst: 2 * kubePerSecond });
    const metrics = this.#metrics;
    return new KubeClient({
      transport,
      clock,
      limit,
      fieldManager: userAgent,
      deadlineMs: kubeDeadlineMs,
      metrics,
    });
  }

  async #database(running: Running): Promise<Database> {
    const { databaseUrl, databaseConnectionsMax: connectionsMax } = this.#settings;
    const onLost = (error: Error): void => this.#logger.warn('lost a connection to the database', { error });
    const database = await openDatabase({ url: databaseUrl.reveal(), connectionsMax, onLost });
    running.onStop('database', () => database.close());
    return database;
  }

  #healthCheck(running: Running, database: Database): DatabaseHealthCheck {
    const healthCheck = new DatabaseHealthCheck({
      clock: this.#ports.clock,
      logger: this.#logger,
      ask: async () => database.ask(),
    });
    healthCheck.start();
    running.onStop('database health check', () => healthCheck.stop());
    return healthCheck;
  }

  async #listen(running: Running, service: DispatchService): Promise<void> {
    const { clock } = this.#ports;
    const silence = new OutageLog(wakeWords, { clock, logger: this.#logger });
    const listener = new WakeListener({
      url: this.#settings.databaseUrl,
      clock,
      onWake: (pool) => {
        // A wake without a pool means that the listener has just subscribed.
        if (pool === undefined) silence.isWell();
        service.wake(pool);
      },
      onTrouble: (error) => silence.lost(error),
    });
    await listener.start();
    running.onStop('listener', () => listener.stop());
  }

  async #serveProbes(running: Running, { pools }: DispatchService, database: Check): Promise<void> {
    const { probeListen, cacheAgeMax } = this.#settings;
    const { alive, ready, crash } = running;
    const probes = await serveProbes({
      ...probeListen,
      alive: [alive],
      ready: [ready, cacheCheck('runnerpools', pools.informer, cacheAgeMax), database],
      metrics: this.#metrics,
      onFault: crash,
      clock: this.#ports.clock,
    }).catch((error: unknown) => {
      throw explainListening(error, probeListen, '--probe-listen');
    });
    running.onStop('probes', () => probes.close());
  }
}
