/** A request and its answer, as they are inside the process: the HTTP face and in-process callers both speak this. */
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
  /** No event follows. */
  end(): void;
}

/** Starts to deliver: first what is due at once, then each change as it is committed. The result stops it. */
export type Watch = (sink: WatchSink) => () => void;

export interface ApiResponse {
  readonly status: number;
  readonly body: JsonObject;
  /** `application/json` unless given. */
  readonly contentType?: string;
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
