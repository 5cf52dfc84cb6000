/** The in-process form of a request and its answer, for the HTTPS server and in-process callers. */
import type { Credentials } from './auth/credentials.ts';
import type { Identity } from './auth/identity.ts';
import type { JsonObject, Json } from './json.ts';

export interface ApiRequest {
  /** The identity from `ApiServer.identify`. The request is still authorized. */
  readonly identity: Identity;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly accept?: string;
  /** The parsed body; undefined without a body. */
  readonly body?: Json | undefined;
  /** Paths of duplicate keys in the body. */
  readonly duplicates?: readonly string[];
  /** The user agent. Its part before the first slash is the default field manager. */
  readonly userAgent?: string | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Json;
}

export interface WatchSink {
  event(event: WatchEvent): void;
  /** Ends the watch; with `broken` the client sees a broken connection instead of an end. */
  end(how?: 'broken'): void;
}

/** Starts the watch: the initial events, then each committed change. The result stops the watch. */
export type Watch = (sink: WatchSink) => () => void;

export interface ApiResponse {
  readonly status: number;
  readonly body: JsonObject;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Another format of the body, sent instead of JSON. */
  readonly bytes?: Uint8Array;
  readonly warnings: readonly string[];
}

/** A request that a kubelet answers: the HTTPS server relays it. */
export interface Relay {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export type Answer = ApiResponse | { readonly watch: Watch } | { readonly relay: Relay };

/** No answer. `refused` means that nothing was done; after `reset` the effect is unknown. */
export interface Broken {
  readonly broken: 'refused' | 'reset';
}

export type Reply = Answer | Broken;

/** A request handler: the server itself, or a wrapper. */
export interface Handler {
  /** Authenticates; throws for invalid credentials. */
  identify(credentials: Credentials): Identity;
  /** Throws unless a role allows the request. */
  authorize(request: Pick<ApiRequest, 'identity' | 'method' | 'path' | 'query'>): void;
  handle(request: ApiRequest): Reply | Promise<Reply>;
  /** Resolves when all answered writes are durable. */
  durable(): Promise<void>;
}

export function isWatch({ method, query }: Pick<ApiRequest, 'method' | 'query'>): boolean {
  return method === 'GET' && (query['watch'] === 'true' || query['watch'] === '1');
}

/** Whether a read does not name a revision, and so may be answered from an older one. */
export function readsThePresent(request: Pick<ApiRequest, 'method' | 'query'>): boolean {
  const { method, query } = request;
  const namesItsRevision = query['continue'] !== undefined || query['resourceVersionMatch'] === 'Exact';
  return method === 'GET' && !isWatch(request) && !namesItsRevision;
}
