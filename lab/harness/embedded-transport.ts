/** The embedded API as a transport for tests of the runtime: the test decides its failures. */
import { ownIdentity } from '../../src/embedded/kubernetes-api/auth/identity.ts';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import type { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import {
  TransportError,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from '../../src/kube/client/transport.ts';

type Trouble = (request: KubeRequest) => KubeResponse | 'refused' | 'lost' | undefined;

export class EmbeddedTransport implements KubeTransport {
  readonly requests: KubeRequest[] = [];
  readonly #server: ApiServer;
  readonly #open = new Set<MemoryStream>();
  /** Returns the failure of a request; undefined for none. */
  trouble: Trouble = () => undefined;
  reconnects = 0;
  /** Answers are delayed until this resolves. */
  way: () => Promise<void> = () => Promise.resolve();
  /** Called for each opened watch, with a function that ends it cleanly. */
  onOpen: (end: () => void) => void = () => undefined;
  /** Watches stay open and send nothing. */
  isSilent = false;

  constructor(server: ApiServer) {
    this.#server = server;
  }

  get openWatches(): number {
    return this.#open.size;
  }

  async send(request: KubeRequest): Promise<KubeResponse> {
    this.requests.push(request);
    const trouble = this.trouble(request);
    if (trouble === 'refused') throw new TransportError('unsent', 'connection refused');
    if (typeof trouble === 'object') return trouble;
    const answer = this.#server.handle({ identity: ownIdentity, ...inner(request) });
    await this.way();
    if (trouble === 'lost') throw new TransportError('unknown', 'the connection broke');
    if (!('status' in answer)) throw new Error('only a watch is answered with a watch');
    return Promise.resolve({ status: answer.status, body: structuredClone(answer.body) });
  }

  async stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    this.requests.push(request);
    const trouble = this.trouble(request);
    if (trouble === 'refused' || trouble === 'lost') throw new TransportError('unsent', 'connection refused');
    if (typeof trouble === 'object') return trouble;
    const answer = this.#server.handle({ identity: ownIdentity, ...inner(request) });
    if ('status' in answer) return { status: answer.status, body: answer.body };
    if (!('watch' in answer)) throw new Error('nothing is relayed here');
    const stream = new MemoryStream(() => void this.#open.delete(stream));
    this.#open.add(stream);
    const stop = answer.watch({
      event: (event) => {
        if (!this.isSilent) stream.push(structuredClone(event));
      },
      end: () => stream.finish(undefined),
    });
    stream.onClose = stop;
    signal.addEventListener('abort', () => stream.close());
    this.onOpen(() => stream.close());
    return Promise.resolve(stream);
  }

  reconnect(): void {
    this.reconnects += 1;
  }

  /** Breaks every watch. */
  cut(): void {
    for (const stream of this.#open) stream.finish(new TransportError('unknown', 'the connection broke'));
  }
}

function inner(request: KubeRequest) {
  const { body, ...rest } = request;
  const text: Json = JSON.parse(JSON.stringify(body ?? null));
  return { ...rest, ...(body !== undefined && { body: text }) };
}

class MemoryStream implements KubeStream {
  readonly #values: unknown[] = [];
  readonly #gone: () => void;
  #waiting: { resolve: (value: unknown) => void; reject: (error: unknown) => void } | undefined;
  #end: { error: unknown } | undefined;
  onClose: () => void = () => undefined;

  constructor(gone: () => void) {
    this.#gone = gone;
  }

  push(value: unknown): void {
    this.#values.push(value);
    this.#deliver();
  }

  finish(error: unknown): void {
    this.#end ??= { error };
    this.onClose();
    this.#gone();
    this.#deliver();
  }

  next(): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting = { resolve, reject };
    this.#deliver();
    return promise;
  }

  close(): void {
    this.finish(undefined);
  }

  #deliver(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || (this.#values.length === 0 && this.#end === undefined)) return;
    this.#waiting = undefined;
    if (this.#values.length > 0) waiting.resolve(this.#values.shift());
    else if (this.#end?.error === undefined) waiting.resolve(undefined);
    else waiting.reject(this.#end.error);
  }
}
