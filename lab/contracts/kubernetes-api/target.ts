/**
 * What a case needs of a server: requests and watches, whatever the transport. The real server is reached over HTTPS,
 * the embedded server by a call in the same process.
 */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  /** An object is sent as JSON, a string as it is. */
  readonly body?: unknown;
  /** `application/json` unless given. */
  readonly contentType?: string;
  readonly accept?: string;
  /** The identity that an administrator impersonates. */
  readonly as?: Persona;
  /** Sent instead of the administrator's certificate; an empty token means no credentials. */
  readonly token?: string;
}

export interface Persona {
  readonly user: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type Query = Readonly<Record<string, string>>;

export interface Response {
  readonly status: number;
  /** Names in lower case; a repeated header is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text of a body that is not JSON. */
  readonly body: unknown;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface WatchHandle {
  /** The next event, in order. Rejects after the end of the stream, or after a long time without an event. */
  next(): Promise<WatchEvent>;
  /** Resolves when the server has ended the stream cleanly, even while events wait. */
  ended(): Promise<void>;
  close(): Promise<void>;
}

export interface Target {
  readonly name: string;
  request(request: Request): Promise<Response>;
  /** Rejects unless the server accepts the watch. A refusal is read with `request` and the query `watch=true`. */
  watch(path: string, query?: Query): Promise<WatchHandle>;
  close(): Promise<void>;
}
