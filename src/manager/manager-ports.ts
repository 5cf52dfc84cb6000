/** Ports of the manager: the API server, the provider, clock, randomness, logs and exits. */
import type { KeyMaker } from '../hosts/ssh-key/ports.ts';
import type { Provider } from '../hosts/provider/port.ts';
import type { Clock } from '../platform/clock.ts';
import { KubeClient } from '../kube/client/client.ts';
import type { KubeTransport } from '../kube/client/transport.ts';
import type { LogFields } from '../platform/logger.ts';
import { noMetrics, type Metrics } from '../platform/metrics.ts';
import type { Random } from '../platform/random.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import type { RunnerPorts } from './runner-pools/runner-ports.ts';

export interface FleetManagerPorts {
  readonly transport: KubeTransport;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly random: Random;
  /** Unique for this run of the process. */
  readonly identity: string;
  readonly log: (text: string) => void;
  /** Reports a problem after which the manager goes on. Without this port, `log` gets the fields as text. */
  readonly warn?: (message: string, fields: LogFields) => void;
  /**
   * The lease is lost, so all state in memory is worthless. With `cannot-start`: the manager never led, and cannot
   * lead until a person changes a setting.
   */
  readonly exit: (why: string, cause?: 'cannot-start') => void;
  readonly crash: (error: unknown) => void;
  readonly metrics?: Metrics;
  /** Without this port, fleets get no SSH key. */
  readonly makeSshKey?: KeyMaker;
  /** Ports to dispatch, for runner pools. */
  readonly runners?: RunnerPorts;
}

/** The port for warnings, or `log` with the fields as text. */
export function warnTo({
  warn,
  log,
}: Pick<FleetManagerPorts, 'warn' | 'log'>): (message: string, fields: LogFields) => void {
  return warn ?? ((message, fields) => log([message, ...Object.values(fields).map(String)].join(': ')));
}

export type ClientPorts = Pick<FleetManagerPorts, 'transport' | 'clock' | 'metrics'>;

interface ClientLimits {
  readonly deadlineMs: number;
  readonly perSecond: number;
  readonly burst?: number;
}

/** Each use has its own limit, so that no use delays another. */
export function clientWith(
  { transport, clock, metrics = noMetrics }: ClientPorts,
  { deadlineMs, perSecond, burst = perSecond * 2 }: ClientLimits,
): KubeClient {
  const limit = new RateLimit(clock, { perSecond, burst });
  return new KubeClient({ transport, clock, limit, fieldManager: 'muster-manager', deadlineMs, metrics });
}
