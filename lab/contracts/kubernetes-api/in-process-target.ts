/** The embedded server as a target, called in the same process and on virtual time: no case has to wait. */
import type { Random } from '../../../src/platform/random.ts';
import { administrator } from '../../../src/embedded/kubernetes-api/auth/credentials.ts';
import type { Identity } from '../../../src/embedded/kubernetes-api/auth/identity.ts';
import { parseBody } from '../../../src/embedded/kubernetes-api/body.ts';
import type { ControllerSettings } from '../../../src/embedded/kubernetes-api/controllers/all.ts';
import type { WatchSink } from '../../../src/embedded/kubernetes-api/request.ts';
import { ApiServer } from '../../../src/embedded/kubernetes-api/server.ts';
import { StatusError } from '../../../src/embedded/kubernetes-api/status-error.ts';
import type { Query, Request, Response, Target, WatchEvent, WatchHandle } from './target.ts';
import { VirtualClock } from './virtual-clock.ts';

const idleTimersMax = 1000;
/** The same user agent as over HTTPS: the default field manager. */
const userAgent = 'contract';

export class InProcessTarget implements Target {
  readonly name = 'embedded, in process';
  readonly #clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly #server: ApiServer;

  constructor(random: Random, historyMax: number, controllers: ControllerSettings = { scheduling: 'off' }) {
    const tokenSecret = new TextEncoder().encode('known to this target alone');
    this.#server = new ApiServer({
      clock: this.#clock,
      random,
      historyMax,
      tokenSecret,
      controllers,
      authorityCertificate: 'the certificate of an authority',
    });
    this.#server.publishAddress({ ip: '10.1.2.3', port: 6443 });
    this.#clock.runDue();
  }

  async request(request: Request): Promise<Response> {
    const { method, path, query = {}, body, contentType, accept } = request;
    const identity = this.#identify(request);
    if (identity instanceof StatusError) return refusal(identity);
    const parsed = parse(body, contentType);
    if (parsed instanceof StatusError) return refusal(parsed);
    const answer = this.#server.handle({
      identity,
      method,
      path,
      query,
      userAgent,
      ...parsed,
      ...(contentType !== undefined && { contentType }),
      ...(accept !== undefined && { accept }),
    });
    this.#clock.runDue();
    if ('relay' in answer) throw new Error('this target cannot reach a kubelet');
    if ('watch' in answer) return { status: 200, headers: {}, body: {} };
    const warning = answer.warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
    const headers = {
      'content-type': answer.contentType ?? 'application/json',
      ...(warning !== '' && { warning }),
    };
    return { status: answer.status, headers, body: answer.body };
  }

  #identify({ as, token }: Request): Identity | StatusError {
    const shown = token === undefined ? administrator : token === '' ? {} : { token };
    const impersonate = as === undefined ? undefined : { groups: [], ...as };
    try {
      return this.#server.identify({ ...shown, impersonate });
    } catch (error) {
      if (error instanceof StatusError) return error;
      throw error;
    }
  }

  async watch(path: string, query: Query = {}): Promise<WatchHandle> {
    const answer = this.#server.handle({
      identity: this.#server.identify(administrator),
      method: 'GET',
      path,
      query: { ...query, watch: 'true' },
    });
    if (!('watch' in answer)) throw new Error(`the watch was refused: ${JSON.stringify(answer)}`);
    return new InProcessWatch(this.#clock, (sink) => answer.watch(sink));
  }

  async close(): Promise<void> {
    return Promise.resolve();
  }
}

function refusal(error: StatusError): Response {
  return { status: error.code, headers: {}, body: error.toObject() };
}

/** A string body is sent as it is; any other body stands for its JSON. */
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
    if (event === undefined) throw new Error('the watch ended, or no timer is left');
    return event;
  }

  async ended(): Promise<void> {
    this.#waitUntil(() => this.#over);
    if (!this.#over) throw new Error('the watch does not end');
  }

  async close(): Promise<void> {
    this.#stop();
  }

  /** Recurring timers never run out, so waiting needs its own limit. */
  #waitUntil(done: () => boolean): void {
    for (let timers = 0; !done() && timers < idleTimersMax; timers += 1) if (!this.#clock.runNext()) return;
  }
}
