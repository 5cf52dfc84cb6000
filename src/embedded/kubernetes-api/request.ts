/** A request and its answer, as they are inside the process: the HTTP face and in-process callers both speak this. */
import type { Credentials } from './auth/credentials.ts';
import type { Identity } from './auth/identity.ts';
import type { JsonObject, Json } from './json.ts';

export interface ApiRequest {
  /** Who asks, as `ApiServer.identify` says; what is asked is still checked against the roles. */
  readonly identity: Identity;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly accept?: string;
  /** Already parsed; undefined when the request had no body. */
  readonly body?: Json | undefined;
  /** Paths of keys that the text of the body gave twice. */
  readonly duplicates?: readonly string[];
  /** What the client calls itself; who names no field manager writes under the part before the first slash. */
  readonly userAgent?: string | undefined;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: Json;
}

export interface WatchSink {
  event(event: WatchEvent): void;
  /** No event follows; `broken` where the client is to see a broken connection instead of an end. */
  end(how?: 'broken'): void;
}

/** Starts to deliver: first what is due at once, then each change as it is committed. The result stops it. */
export type Watch = (sink: WatchSink) => () => void;

export interface ApiResponse {
  readonly status: number;
  readonly body: JsonObject;
  /** `application/json` unless given. */
  readonly contentType?: string;
  /** Sent instead of the body, which says the same, to a client that wants another form than JSON. */
  readonly bytes?: Uint8Array;
  readonly warnings: readonly string[];
}

/** A question that somebody else answers: the face asks there over HTTPS and hands on what comes. */
export interface Relay {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

export type Answer = ApiResponse | { readonly watch: Watch } | { readonly relay: Relay };

/** No answer came. Refused means that nothing was done; after a reset the caller cannot know. */
export interface Broken {
  readonly broken: 'refused' | 'reset';
}

export type Reply = Answer | Broken;

/** Whoever answers requests: the server itself, or one that stands in front of it. */
export interface Handler {
  /** Who somebody is by what they show; refuses what is not good. */
  identify(credentials: Credentials): Identity;
  /** Refuses what no role allows. */
  authorize(request: Pick<ApiRequest, 'identity' | 'method' | 'path' | 'query'>): void;
  handle(request: ApiRequest): Reply | Promise<Reply>;
  /** Resolves when everything that was answered so far survives a crash. */
  durable(): Promise<void>;
}

export function isWatch({ method, query }: Pick<ApiRequest, 'method' | 'query'>): boolean {
  return method === 'GET' && (query['watch'] === 'true' || query['watch'] === '1');
}

/** Whether it is a read that leaves open which state it wants, and so may be answered from one that is not the last. */
export function readsThePresent(request: Pick<ApiRequest, 'method' | 'query'>): boolean {
  const { method, query } = request;
  const namesItsRevision = query['continue'] !== undefined || query['resourceVersionMatch'] === 'Exact';
  return method === 'GET' && !isWatch(request) && !namesItsRevision;
}
