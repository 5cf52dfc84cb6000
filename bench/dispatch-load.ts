/** Polling Pods and incoming webhooks, over HTTP: how long each takes. */
import { Agent, request } from 'node:http';
import { queuedHook } from './dispatch-jobs.ts';
import { quantile } from './loop-lag.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export interface Ask {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
export const pollPath = '/api/internal/runners/dispatch';
const hookPath = '/webhooks/github';

export async function post({ port, path, headers, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      agent,
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      headers: { ...headers, ...length },
    };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Waiting Pods. A Pod with a job is replaced by another Pod. */
export class Pollers {
  readonly served = new Map<string, number>();
  readonly #port: number;
  #isOver = false;
  #made = 0;

  constructor(port: number, count: number) {
    this.#port = port;
    for (let index = 0; index < count; index += 1) void this.#poll();
  }

  end(): void {
    this.#isOver = true;
  }

  async #poll(): Promise<void> {
    while (!this.#isOver) {
      this.#made += 1;
      const name = `pod-${this.#made}`;
      while (!this.#isOver && !(await this.#askFor(name)));
    }
  }

  /** At the end the server stops while Pods still wait. */
  async #post(headers: Ask['headers']): Promise<Answer> {
    try {
      return await post({ port: this.#port, path: pollPath, headers, body: '{}' });
    } catch (error) {
      if (this.#isOver) return { status: 0, body: '' };
      throw error;
    }
  }

  async #askFor(name: string): Promise<boolean> {
    const headers = { authorization: `Bearer ${name}`, 'content-type': 'application/json' };
    const { status, body } = await this.#post(headers);
    const at = performance.now();
    const [, jobId] = /"workflow_job_id":"(\d+)"/.exec(body) ?? [];
    if (status === 200 && jobId !== undefined) this.served.set(jobId, at);
    return status === 200;
  }
}

export interface Sent {
  readonly jobId: string;
  readonly at: number;
  readonly ackMs: number;
  readonly status: number;
}

export interface HookLoad {
  readonly count: number;
  readonly perSecond: number;
  /** How many are sent at the same instant. */
  readonly atOnce?: number;
  /** The number of the first job. */
  readonly first: number;
}

/** Sends webhooks at this pace, however long each takes. */
export async function sendHooks(port: number, load: HookLoad): Promise<readonly Sent[]> {
  const { count, perSecond, first, atOnce = 1 } = load;
  const hooks = Array.from({ length: count }, (_, index) => queuedHook(first + index, Date.now()));
  const began = performance.now();
  return Promise.all(
    hooks.map(async ({ jobId, headers, body }, index): Promise<Sent> => {
      await until(began + ((index - (index % atOnce)) * 1000) / perSecond);
      const at = performance.now();
      const { status } = await post({ port, path: hookPath, headers, body });
      return { jobId, at, status, ackMs: performance.now() - at };
    }),
  );
}

export async function until(at: number): Promise<void> {
  const ms = at - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

export function percentiles(values: readonly number[]): { p50: number; p99: number; max: number } {
  const sorted = values.toSorted((a, b) => a - b);
  return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
}
