/** Builds the manager: settings, log, metrics, probes, Kubernetes and provider clients, and controllers. */
import { FleetManager } from '../manager/manager.ts';
import { fleetSettingsOf, managerSettings } from '../manager/manager-settings.ts';
import { listenAddresses, withOlderNames } from '../manager/older-settings.ts';
import { uuid } from '../platform/ids.ts';
import { HttpTransport } from '../kube/client/http-transport.ts';
import { cacheCheck } from '../platform/process/health-check.ts';
import { linesTo, pinoLogger } from '../platform/process/pino-logger.ts';
import { serveProbes } from '../platform/process/probe-server.ts';
import { PromMetrics } from '../platform/process/prom-metrics.ts';
import { runProcess, type Outside, type Running } from '../platform/process/run-process.ts';
import { givenInVain, readSettings, type Given } from '../platform/settings/read-settings.ts';
import type { Values } from '../platform/settings/setting.ts';
import type { Logger } from '../platform/logger.ts';
import { connectionFor } from './kube-connection.ts';
import { openProvider } from './open-provider.ts';
import { openRunners } from './open-runners.ts';
import type { ClusterPorts, ProcessPorts } from './process-ports.ts';
import { explainListening } from './server-options.ts';

export interface ManagerPorts extends ProcessPorts, ClusterPorts {
  readonly life: Outside;
}

interface Probed {
  readonly manager: FleetManager;
  readonly metrics: PromMetrics;
  readonly logger: Logger;
}

type Settings = Values<typeof managerSettings>;
const userAgent = 'muster-manager';
/** Standard error: standard output is for the result of a command. */
const logTo = 2;

export async function startManager(given: Given, ports: ManagerPorts): Promise<void> {
  const { clock, life } = ports;
  const env = withOlderNames(given.env);
  const settings = await readSettings(managerSettings, { ...given, env }, ports);
  const logger = pinoLogger({
    clock,
    level: settings.zapLogLevel ?? settings.logLevel,
    lines: linesTo(logTo),
  });
  for (const name of givenInVain(managerSettings, { ...given, env }))
    logger.warn('ignored a setting: it has no effect yet', { setting: name });
  if (!settings.leaderElect)
    logger.warn('ignored a setting: leader election is always on', { setting: '--leader-elect' });
  const manager = new ManagerProcess(settings, { ...ports, env });
  await runProcess({
    clock,
    logger,
    outside: life,
    deadlineMs: settings.stopDeadline,
    start: (running) => manager.start(running, logger),
  });
}

class ManagerProcess {
  readonly #settings: Settings;
  readonly #ports: ManagerPorts;

  constructor(settings: Settings, ports: ManagerPorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  async start(running: Running, logger: Logger): Promise<void> {
    const { clock, random, env, life, makeSshKey } = this.#ports;
    const metrics = new PromMetrics();
    metrics.measureProcess();
    const transport = new HttpTransport({
      connection: await connectionFor(this.#settings, this.#ports),
      userAgent,
      now: () => clock.now(),
    });
    running.onStop('connections', () => transport.close());
    let mayAct = (): boolean => false;
    const opened = await openProvider(this.#settings, {
      ...this.#ports,
      transport,
      metrics,
      userAgent,
      logger,
      mayAct: () => mayAct(),
    });
    const log = (text: string): void => logger.info(text);
    const manager = new FleetManager(fleetSettingsOf(this.#settings), {
      transport,
      provider: opened.provider,
      clock,
      random,
      identity: `${env['HOSTNAME'] ?? 'muster'}-${uuid(random)}`,
      log,
      warn: (message, fields) => logger.warn(message, fields),
      exit: (why, cause) => {
        if (cause === 'cannot-start') logger.error('failed to start the manager', { error: why });
        else log(why);
        life.exit(1);
      },
      crash: running.crash,
      metrics,
      ...(makeSshKey !== undefined && opened.keepsSshKeys && { makeSshKey }),
      runners: openRunners(this.#settings, { ...this.#ports, transport, logger }),
    });
    mayAct = () => manager.mayAct();
    await this.#serveProbes(running, { manager, metrics, logger });
    manager.start();
    running.onStop('controllers', () => manager.stop());
    // The provider stops before the controllers release the lease: the next leader must not meet a running wipe.
    running.onStop('provider', () => opened.close());
  }

  async #serveProbes(running: Running, { manager, metrics, logger }: Probed): Promise<void> {
    const { alive, ready, crash: onFault } = running;
    const caches = manager.caches.map(({ name, cache }) =>
      cacheCheck(name, cache, this.#settings.cacheAgeMax),
    );
    for (const address of listenAddresses(this.#settings)) {
      const probes = await serveProbes({
        ...address,
        alive: [alive],
        ready: [ready, ...caches],
        role: () => (manager.isLeading ? 'leader' : 'standby'),
        metrics,
        onFault,
        clock: this.#ports.clock,
      }).catch((error: unknown) => {
        throw explainListening(error, address, '--probe-listen');
      });
      logger.info('started to serve probes and metrics', { url: probes.url });
      running.onStop('probes', () => probes.close());
    }
  }
}
