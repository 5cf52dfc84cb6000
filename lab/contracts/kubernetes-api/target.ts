/**
 * What a case needs of a server: requests and watches, and nothing of how they travel.
 * The real server is reached over HTTPS, the embedded one by a call in the same process.
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
  /** Whom an administrator wants to be taken for. */
  readonly as?: Persona;
  /** Shown instead of the administrator's certificate; an empty one stands for showing nothing at all. */
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
  /** Names in lower case; a header that came several times is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON, or the text where it is none. */
  readonly body: unknown;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

export interface WatchHandle {
  /** The next event, in order. Rejects after the end of the stream, or when nothing comes for a long time. */
  next(): Promise<WatchEvent>;
  /** Resolves when the server has ended the stream in good order, whether or not all events were taken. */
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
