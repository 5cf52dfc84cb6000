/** Builds the agent: settings, log, two clients, the driver and the Node. */
import { mkdir } from 'node:fs/promises';
import { Agent } from '../agent/agent.ts';
import { agentSettings } from '../agent/agent-settings.ts';
import {
  processDriver,
  removeOtherPods,
  type ProcessDriverOptions,
} from '../agent/drivers/process/process-driver.ts';
import type { NodeShape } from '../agent/node/node-object.ts';
import type { TokenFile } from '../agent/own-token.ts';
import type { Connection } from '../kube/client/connection.ts';
import { KubeClient } from '../kube/client/client.ts';
import { HttpTransport } from '../kube/client/http-transport.ts';
import { linesTo, pinoLogger } from '../platform/process/pino-logger.ts';
import { runProcess, type Outside, type Running } from '../platform/process/run-process.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { Secret } from '../platform/secret.ts';
import { readSettings, type Given } from '../platform/settings/read-settings.ts';
import type { Values } from '../platform/settings/setting.ts';
import { connectionFor } from './kube-connection.ts';
import { writePrivately } from './write-secret-file.ts';
import type { ClusterPorts, ProcessPorts } from './process-ports.ts';

export interface AgentProcessPorts extends ProcessPorts, ClusterPorts {
  readonly life: Outside;
}

type Settings = Values<typeof agentSettings>;
/** Standard error: standard output is for the result of a command. */
const logTo = 2;
const userAgent = 'muster-agent';
const perSecond = 20;

export async function startAgent(given: Given, ports: AgentProcessPorts): Promise<void> {
  const { clock, life } = ports;
  const settings = await readSettings(agentSettings, given, ports);
  const logger = pinoLogger({ clock, level: settings.logLevel, lines: linesTo(logTo) });
  const start = async (running: Running): Promise<void> => {
    const connection = await connectionFor(
      { kubeconfig: settings.kubeconfig, kubeContext: undefined },
      ports,
    );
    await mkdir(settings.stateFolder, { recursive: true, mode: 0o700 });
    const driver = driverOptions(settings, ports);
    const agent = new Agent({
      client: clientOf(connection, ports, running),
      leaseClient: clientOf(connection, ports, running),
      clock,
      random: ports.random,
      node: nodeOf(settings),
      driver: processDriver(driver),
      ...(settings.tokenFile !== undefined && { tokenFile: tokenFileAt(settings.tokenFile, ports) }),
      removeOtherPods: (present) => removeOtherPods(driver, present),
      heartbeatMs: settings.heartbeat,
      log: (text) => logger.warn('failed to reach the API server, retrying', { why: text }),
      onFault: running.crash,
    });
    agent.start();
    running.onStop('agent', () => agent.stop());
    logger.info('started the agent', { node: settings.nodeName });
  };
  await runProcess({ clock, logger, outside: life, deadlineMs: settings.stopDeadline, start });
}

function clientOf(connection: Connection, { clock }: AgentProcessPorts, running: Running): KubeClient {
  const transport = new HttpTransport({ connection, userAgent, now: () => clock.now() });
  running.onStop('connections', () => transport.close());
  const limit = new RateLimit(clock, { perSecond, burst: 2 * perSecond });
  return new KubeClient({ transport, clock, limit, fieldManager: userAgent });
}

function tokenFileAt(path: string, { readFile }: AgentProcessPorts): TokenFile {
  return {
    read: async () => new Secret(await readFile(path)),
    write: (token) => writePrivately(path, token.reveal()),
  };
}

function driverOptions(settings: Settings, { clock, env }: AgentProcessPorts): ProcessDriverOptions {
  return {
    folder: settings.stateFolder,
    clock,
    programs: settings.guestPrograms,
    runnerTemplate: settings.runnerHome,
    env: { PATH: env['PATH'] ?? '/usr/bin:/bin:/usr/sbin:/sbin', ...passedOn(settings, env) },
  };
}

function passedOn({ passEnv }: Settings, env: AgentProcessPorts['env']): Readonly<Record<string, string>> {
  return Object.fromEntries(passEnv.map((name) => [name, env[name] ?? '']));
}

function nodeOf(settings: Settings): NodeShape {
  const { nodeName, fleet, providerId, nodeIp, hostCpu, hostMemoryMb, maxPods, os, nodeLabels } = settings;
  return {
    name: nodeName,
    os,
    fleet,
    cpus: hostCpu,
    memoryMb: hostMemoryMb,
    podsMax: maxPods,
    labels: nodeLabels,
    ...(providerId !== undefined && { providerId }),
    ...(nodeIp !== undefined && { addresses: [nodeIp] }),
  };
}
