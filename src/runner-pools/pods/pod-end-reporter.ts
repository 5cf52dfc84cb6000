/**
 * Reports ended Pods to dispatch, each once, with the end of the log after an abnormal end. An unreachable dispatch is
 * retried for a while; then the Pod is removed anyway, since dispatch detects missing Pods itself.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { withoutSecrets } from '../../platform/process/secret-words.ts';
import { endedAt, isAbnormalEnd, runnerContainer, runnerEnd } from './runner-pods.ts';
import type { PodLogs, StoppedReport, StoppedReports } from './ports.ts';

export interface PodEndReporterPorts {
  readonly now: () => number;
  /** Without it, ends are not reported. */
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
}

/** A report is given up after this time and at least this many attempts. */
const patienceMs = 60_000;
const triesMin = 3;
/** Pause after a failure, for all reports: each attempt may be slow to fail. */
const restMs = 5000;
const bytesMax = 64 * 1024;
const linesMax = 200;

export interface How {
  /** False for a deleted Pod, whose log is gone. */
  readonly hasLog: boolean;
}

interface Tries {
  readonly count: number;
  readonly since: number;
}

export class PodEndReporter {
  readonly #ports: PodEndReporterPorts;
  /** By uid, including reports that were given up. */
  readonly #reported = new Set<string>();
  readonly #tries = new Map<string, Tries>();
  #restsUntil = 0;
  #trouble: FleetError | undefined;

  constructor(ports: PodEndReporterPorts) {
    this.#ports = ports;
  }

  get isOpen(): boolean {
    return this.#ports.reports !== undefined;
  }

  get reported(): ReadonlySet<string> {
    return this.#reported;
  }

  /** Drops entries of Pods that no longer exist. */
  forget(isThere: (uid: string) => boolean): void {
    for (const memory of [this.#reported, this.#tries])
      for (const uid of memory.keys()) if (!isThere(uid)) memory.delete(uid);
  }

  /** Rejects as long as a retry is useful. */
  async report(pod: Pod, how: How): Promise<'reported' | 'given-up'> {
    const { reports } = this.#ports;
    const { uid } = pod.metadata;
    if (reports === undefined || this.#reported.has(uid)) return 'reported';
    try {
      await this.#send(reports, () => this.#reportOf(pod, how));
      this.#reported.add(uid);
      return 'reported';
    } catch (error) {
      if (!isFleetError(error)) throw error;
      if (!this.#isEnough(uid, error)) throw error;
      this.#reported.add(uid);
      return 'given-up';
    }
  }

  async #send(reports: StoppedReports, make: () => Promise<StoppedReport>): Promise<void> {
    const { now } = this.#ports;
    if (this.#trouble !== undefined && now() < this.#restsUntil) throw this.#trouble;
    try {
      await reports.stopped(await make());
      this.#trouble = undefined;
    } catch (error) {
      if (!isFleetError(error)) throw error;
      this.#trouble = isFleetError(error, 'rejected') ? undefined : error;
      this.#restsUntil = now() + restMs;
      throw error;
    }
  }

  #isEnough(uid: string, error: FleetError): boolean {
    if (isFleetError(error, 'rejected')) return true;
    const now = this.#ports.now();
    const { count, since } = this.#tries.get(uid) ?? { count: 0, since: now };
    this.#tries.set(uid, { count: count + 1, since });
    return count + 1 >= triesMin && now - since >= patienceMs;
  }

  async #reportOf(pod: Pod, { hasLog }: How): Promise<StoppedReport> {
    const { name, uid } = pod.metadata;
    const end = runnerEnd(pod);
    const reason = end?.reason ?? pod.status?.reason ?? '';
    const logTail = hasLog && isAbnormalEnd(pod) ? await this.#logTailOf(pod) : '';
    return {
      podName: name,
      podUid: uid,
      endedAt: endedAt(pod, this.#ports.now()),
      ...(end !== undefined && { exitCode: end.exitCode }),
      ...(reason !== '' && { reason }),
      ...(logTail !== '' && { logTail }),
    };
  }

  /** Returns an empty text if the log cannot be read, for example after a lost Node: the report matters more. */
  async #logTailOf({ metadata }: Pod): Promise<string> {
    const { name, namespace = '' } = metadata;
    try {
      return tailOf((await this.#ports.logs?.tail({ namespace, name }, runnerContainer)) ?? '');
    } catch (error) {
      if (isFleetError(error)) return '';
      throw error;
    }
  }
}

/**
 * The last lines within the byte limit, without a partial character. Secrets are removed before the text is cut: half
 * of a token no longer looks like a token.
 */
export function tailOf(text: string): string {
  const lines = withoutSecrets(text).split('\n');
  const isClosed = lines.at(-1) === '';
  const last = lines.slice(-(linesMax + (isClosed ? 1 : 0))).join('\n');
  const bytes = Buffer.from(last);
  if (bytes.length <= bytesMax) return last;
  let from = bytes.length - bytesMax;
  while (((bytes[from] ?? 0) & 0xc0) === 0x80) from += 1;
  return bytes.subarray(from).toString();
}
