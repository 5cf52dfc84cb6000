/**
 * The manager's client of dispatch: reads scaling signals and reports ended Pods. Each request has a deadline, sends
 * a freshly read token, and follows no redirect, which would send the token elsewhere.
 */
import { z } from 'zod';
import type { RunnerSignals } from '../../runner-pools/autoscaler/ports.ts';
import type { Signals } from '../../runner-pools/autoscaler/target.ts';
import type { StoppedReport, StoppedReports } from '../../runner-pools/pods/ports.ts';
import type { Reason } from '../../api/conditions/reasons.ts';
import { FleetError, isFleetError } from '../../platform/errors/fleet-error.ts';
import { timeText } from '../../platform/time-text.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Secret } from '../../platform/secret.ts';
import { dispatchToken } from './dispatch-token.ts';
import { withPath } from './runner-settings.ts';

export interface DispatchClientOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly readToken: () => Promise<string>;
  /** The platform's `fetch` unless given. */
  readonly fetch?: typeof fetch;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

const deadlineMs = 5000;
const cacheMs = 4000;
const bytesMax = 64 * 1024;
const count = z.int().min(0);

/** Older versions of dispatch do not send `occupied` and `skipped`. */
const signalsReply = z.object({
  claimed: count,
  queued: count,
  p95_concurrent_last_hour: z.number().min(0),
  occupied: count.default(0),
  withheld: count.default(0),
});

export class DispatchSignals implements RunnerSignals {
  readonly #http: DispatchHttp;
  readonly #options: DispatchClientOptions;
  /** Failures are cached, too, because pools of one fleet ask for each other. */
  readonly #known = new Map<string, { readonly at: number; readonly signals: Promise<Signals> }>();

  constructor(options: DispatchClientOptions) {
    this.#options = options;
    this.#http = new DispatchHttp(options);
  }

  signals(pool: string): Promise<Signals> {
    const now = this.#options.clock.now();
    const known = this.#known.get(pool);
    if (known !== undefined && now - known.at < cacheMs) return known.signals;
    const signals = this.#ask(pool);
    this.#known.set(pool, { at: now, signals });
    return signals;
  }

  async #ask(pool: string): Promise<Signals> {
    const url = new URL(withPath(this.#options.url, '/api/internal/runners/desired_replicas'));
    url.searchParams.set('fleet', pool);
    const answer = await this.#http.ask(url, { method: 'GET' });
    if (answer.status !== 200) throw refused(url, answer);
    const reply = signalsReply.safeParse(parsed(url, answer));
    if (!reply.success) throw trouble('UnreadableReply', `${url.pathname} answered with no signals`);
    const { p95_concurrent_last_hour: p95, ...counts } = reply.data;
    return { ...counts, p95: Math.ceil(p95) };
  }
}

export class DispatchReports implements StoppedReports {
  readonly #http: DispatchHttp;
  readonly #url: URL;

  constructor(options: DispatchClientOptions) {
    this.#http = new DispatchHttp(options);
    this.#url = new URL(withPath(options.url, '/api/internal/runners/pods/stopped'));
  }

  async stopped(report: StoppedReport): Promise<void> {
    const body = {
      pod_name: report.podName,
      pod_uid: report.podUid,
      ended_at: timeText(report.endedAt),
      ...(report.exitCode !== undefined && { exit_code: report.exitCode }),
      ...(report.reason !== undefined && { reason: report.reason }),
      ...(report.logTail !== undefined && { log_tail: report.logTail }),
    };
    const headers = { 'content-type': 'application/json' };
    const answer = await this.#http.ask(this.#url, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    if (answer.status < 200 || answer.status >= 300) throw refused(this.#url, answer);
  }
}

class DispatchHttp {
  readonly #options: DispatchClientOptions;

  constructor(options: DispatchClientOptions) {
    this.#options = options;
  }

  async ask(url: URL, { headers, ...request }: { method: string; headers?: object; body?: string }) {
    const { clock, fetch: send = fetch } = this.#options;
    const token = await this.#token();
    const ends = new AbortController();
    const cancel = clock.after(deadlineMs, () => ends.abort());
    try {
      const response = await send(url, {
        ...request,
        headers: { ...headers, authorization: `Bearer ${token.reveal()}` },
        redirect: 'manual',
        signal: ends.signal,
      });
      return { status: response.status, text: await textOf(response) };
    } catch (error) {
      throw isFleetError(error) ? error : lost(url, error, ends.signal);
    } finally {
      cancel();
    }
  }

  async #token(): Promise<Secret> {
    return dispatchToken(await this.#tokenText());
  }

  async #tokenText(): Promise<string> {
    try {
      return await this.#options.readToken();
    } catch (error) {
      throw new FleetError(
        'unavailable',
        { reason: 'CredentialsMissing', message: 'the token for dispatch cannot be read' },
        { cause: error },
      );
    }
  }
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax)
      throw trouble('UnreadableReply', `dispatch answered with more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function parsed(url: URL, { text }: Answer): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    throw trouble('UnreadableReply', `${url.pathname} answered with something that is not JSON`);
  }
}

/** Only a 400 is permanent. */
function refused(url: URL, { status }: Answer): FleetError {
  const message = `${url.pathname}: dispatch answered with ${status}`;
  return new FleetError(status === 400 ? 'rejected' : 'unavailable', { reason: `Http${status}`, message });
}

/** Names only the error code: the rest of such an error may quote the request. */
function lost(url: URL, error: unknown, { aborted }: AbortSignal): FleetError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : '';
  const why = aborted ? `no answer within ${deadlineMs / 1000} s` : `the connection broke${code}`;
  return trouble('Unreachable', `${url.pathname}: ${why}`);
}

function trouble(reason: Reason, message: string): FleetError {
  return new FleetError('unavailable', { reason, message });
}
