/**
 * Tells dispatch of Pods that have ended: each once, with its last words where it did not end well. Whoever cannot be reached
 * is tried for a while; then the Pod goes all the same, for dispatch finds out by itself in the end.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { withoutSecrets } from '../../platform/process/secret-words.ts';
import { endedAt, isAbnormalEnd, runnerContainer, runnerEnd } from './runner-pods.ts';
import type { PodLogs, StoppedReport, StoppedReports } from './ports.ts';

export interface PodEndReporterPorts {
  readonly now: () => number;
  /** Without it nobody is told. */
  readonly reports?: StoppedReports;
  readonly logs?: PodLogs;
}

/** How long, and how often at least, it is tried. */
const patienceMs = 60_000;
const triesMin = 3;
/** After a failure nobody else is tried for this long: each may take its time to fail. */
const restMs = 5000;
const bytesMax = 64 * 1024;
const linesMax = 200;

export interface How {
  /** The log of one that is gone is gone, too. */
  readonly hasLog: boolean;
}

interface Tries {
  readonly count: number;
  readonly since: number;
}

export class PodEndReporter {
  readonly #ports: PodEndReporterPorts;
  /** By uid; also of those that were given up. */
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

  /** Pods that are not there any more need not be remembered. */
  forget(isThere: (uid: string) => boolean): void {
    for (const memory of [this.#reported, this.#tries])
      for (const uid of memory.keys()) if (!isThere(uid)) memory.delete(uid);
  }

  /** Rejects while it is worth trying again. */
  async report(pod: Pod, how: How): Promise<'told' | 'given-up'> {
    const { reports } = this.#ports;
    const { uid } = pod.metadata;
    if (reports === undefined || this.#reported.has(uid)) return 'told';
    try {
      await this.#send(reports, () => this.#reportOf(pod, how));
      this.#reported.add(uid);
      return 'told';
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
    const logTail = hasLog && isAbnormalEnd(pod) ? await this.#lastWords(pod) : '';
    return {
      podName: name,
      podUid: uid,
      endedAt: endedAt(pod, this.#ports.now()),
      ...(end !== undefined && { exitCode: end.exitCode }),
      ...(reason !== '' && { reason }),
      ...(logTail !== '' && { logTail }),
    };
  }

  /** Its Node may be gone, and the log with it: the report is worth more than the log. */
  async #lastWords({ metadata }: Pod): Promise<string> {
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
 * The last lines, in no more bytes than are allowed, and no part of a character. Secrets are taken out before the text is cut:
 * half of a token no longer looks like one to dispatch.
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
