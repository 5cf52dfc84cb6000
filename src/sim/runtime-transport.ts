/** The Kubernetes API of the world as the runtime's client wants to reach it. */
import {
  TransportError,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from '../runtime/kube/transport.ts';
import { isJsonObject, type Json, type JsonObject } from '../apiserver/json.ts';
import type { KubeReply, KubeTransport as WorldTransport } from './kube-service.ts';

export class RuntimeTransport implements KubeTransport {
  readonly #world: WorldTransport;

  constructor(world: WorldTransport) {
    this.#world = world;
  }

  async send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    return responseOf(await this.#world.request(inJson(request), { signal }));
  }

  async stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    const reply = await this.#world.request(inJson(request), { signal });
    if (!('watch' in reply)) return responseOf(reply);
    const stream = new EventStream();
    stream.onClose = reply.watch({
      event: (event) => stream.push(event),
      end: (how?: 'broken') => stream.end(how === 'broken'),
    });
    signal.addEventListener('abort', () => stream.close());
    if (signal.aborted) stream.close();
    return stream;
  }

  /** A link of the world is clogged or it is not, whatever connections are made over it. */
  reconnect(): void {
    return undefined;
  }
}

function responseOf(reply: KubeReply): KubeResponse {
  if ('broken' in reply)
    throw new TransportError(
      reply.broken === 'refused' ? 'unsent' : 'unknown',
      `the connection was ${reply.broken}`,
    );
  if ('watch' in reply) throw new Error('only a watch is answered with a watch');
  const after = retryAfterIn(reply.body);
  return { status: reply.status, body: reply.body, ...(after !== undefined && { retryAfterSeconds: after }) };
}

function retryAfterIn({ details }: JsonObject): number | undefined {
  const seconds = isJsonObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds : undefined;
}

/** What goes over a wire is text. */
function inJson({ body, ...rest }: KubeRequest) {
  if (body === undefined) return rest;
  const text: Json = JSON.parse(JSON.stringify(body));
  return { ...rest, body: text };
}

class EventStream implements KubeStream {
  readonly #events: unknown[] = [];
  #waiting: PromiseWithResolvers<unknown> | undefined;
  #end: 'open' | 'clean' | 'broken' = 'open';
  onClose: () => void = () => undefined;

  push(event: unknown): void {
    this.#events.push(event);
    this.#deliver();
  }

  end(isBroken: boolean): void {
    if (this.#end === 'open') this.#end = isBroken ? 'broken' : 'clean';
    this.#deliver();
  }

  next(): Promise<unknown> {
    this.#waiting = Promise.withResolvers<unknown>();
    const { promise } = this.#waiting;
    this.#deliver();
    return promise;
  }

  close(): void {
    this.onClose();
    this.end(false);
  }

  #deliver(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || (this.#events.length === 0 && this.#end === 'open')) return;
    this.#waiting = undefined;
    if (this.#events.length > 0) waiting.resolve(this.#events.shift());
    else if (this.#end === 'clean') waiting.resolve(undefined);
    else waiting.reject(new TransportError('unknown', 'the watch broke off'));
  }
}
