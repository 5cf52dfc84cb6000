/** The Kubernetes API of the world, as the transport of the runtime's client. */
import {
  TransportError,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from '../../../src/kube/client/transport.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../src/embedded/kubernetes-api/json.ts';
import type { KubeReply, KubeTransport as WorldTransport } from './kube-service.ts';

export interface RuntimeTransportOptions {
  /** Like an older server: a list is a separate request, not the start of a watch. */
  readonly isOlder?: boolean;
}

/** How such a server refuses the option. */
const unknownOption: KubeResponse = {
  status: 422,
  body: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Invalid',
    message: 'sendInitialEvents is forbidden for watch',
    code: 422,
  },
};

export class RuntimeTransport implements KubeTransport {
  readonly #world: WorldTransport;
  readonly #options: RuntimeTransportOptions;

  constructor(world: WorldTransport, options: RuntimeTransportOptions = {}) {
    this.#world = world;
    this.#options = options;
  }

  async send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    return responseOf(await this.#world.request(inJson(request), { signal }));
  }

  async stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    if (this.#options.isOlder === true && request.query['sendInitialEvents'] !== undefined)
      return unknownOption;
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

  /** Reconnecting changes nothing: a link of the world is clogged or not, over any connection. */
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

/** Only text crosses a wire. */
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
