/** The embedded server as a target, called in the same process and on virtual time: no case has to wait for it. */
import type { Random } from '../../runtime/random.ts';
import { parseBody } from '../body.ts';
import type { WatchSink } from '../request.ts';
import { ApiServer, type ApiServerOptions } from '../server.ts';
import { StatusError } from '../status-error.ts';
import type { Query, Request, Response, Target, WatchEvent, WatchHandle } from './target.ts';
import { VirtualClock } from './virtual-clock.ts';

const idleTimersMax = 1000;
/** The same as over HTTPS: who gives no field manager writes under this name. */
const userAgent = 'contract';

/** When the controllers act; at once unless told otherwise. */
export type Lags = Pick<ApiServerOptions, 'garbageLagMs' | 'namespaceLagMs'>;

export class InProcessTarget implements Target {
  readonly name = 'embedded, in process';
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly #server: ApiServer;

  constructor(random: Random, historyMax: number, lags: Lags = {}) {
    this.#server = new ApiServer({ clock: this.#clock, random, historyMax, ...lags });
  }

  async request({ method, path, query = {}, body, contentType, accept }: Request): Promise<Response> {
    const parsed = parse(body, contentType);
    if (parsed instanceof StatusError) return { status: parsed.code, headers: {}, body: parsed.toObject() };
    const answer = this.#server.handle({
      method,
      path,
      query,
      userAgent,
      ...parsed,
      ...(contentType !== undefined && { contentType }),
      ...(accept !== undefined && { accept }),
    });
    this.#clock.runDue();
    if ('watch' in answer) return { status: 200, headers: {}, body: {} };
    const warning = answer.warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
    const headers = {
      'content-type': answer.contentType ?? 'application/json',
      ...(warning !== '' && { warning }),
    };
    return { status: answer.status, headers, body: answer.body };
  }

  async watch(path: string, query: Query = {}): Promise<WatchHandle> {
    const answer = this.#server.handle({ method: 'GET', path, query: { ...query, watch: 'true' } });
    if (!('watch' in answer)) throw new Error(`the watch was refused with ${answer.status}`);
    return new InProcessWatch(this.#clock, (sink) => answer.watch(sink));
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A string body is what a client sent as it is; anything else stands for its JSON. */
function parse(body: unknown, contentType: string | undefined) {
  if (body === undefined) return {};
  try {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const { value, duplicates } = parseBody(text, contentType ?? 'application/json');
    return { body: value, duplicates };
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}

class InProcessWatch implements WatchHandle {
  readonly #clock: VirtualClock;
  readonly #events: WatchEvent[] = [];
  readonly #stop: () => void;
  #over = false;

  constructor(clock: VirtualClock, start: (sink: WatchSink) => () => void) {
    this.#clock = clock;
    this.#stop = start({
      event: (event) => void this.#events.push(event),
      end: () => void (this.#over = true),
    });
  }

  async next(): Promise<WatchEvent> {
    this.#waitUntil(() => this.#events.length > 0 || this.#over);
    const event = this.#events.shift();
    if (event === undefined) throw new Error('the watch ended, or nothing will ever come');
    return event;
  }

  async ended(): Promise<void> {
    this.#waitUntil(() => this.#over);
    if (!this.#over) throw new Error('the watch does not end');
  }

  async close(): Promise<void> {
    this.#stop();
  }

  /** Regular timers never run out, so waiting has to have a limit of its own. */
  #waitUntil(done: () => boolean): void {
    for (let timers = 0; !done() && timers < idleTimersMax; timers += 1) if (!this.#clock.runNext()) return;
  }
}
