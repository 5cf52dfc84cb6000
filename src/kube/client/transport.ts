/**
 * How a request reaches a Kubernetes API: over HTTPS, or by a call in the same process under virtual time. Whoever
 * implements it reports what it saw and interprets nothing.
 */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `application/json` unless given. */
  readonly contentType?: string;
  readonly body?: unknown;
  /** A success is plain text, such as a log, and is handed on as it is. */
  readonly isText?: boolean;
}

export interface KubeResponse {
  readonly status: number;
  /** In seconds, as the server said. */
  readonly retryAfterSeconds?: number;
  /** The parsed JSON. */
  readonly body: unknown;
}

/** A watch: objects as they come, until the server or the caller ends it. */
export interface KubeStream {
  /** Undefined at a clean end; rejects with a `TransportError` when it breaks. */
  next(): Promise<unknown>;
  close(): void;
}

export interface KubeTransport {
  /** Rejects with a `TransportError` when no answer came. `signal` gives up on it. */
  send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse>;
  /** A stream where the server accepts the watch, otherwise its refusal. */
  stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse>;
  /** What is connected now may be dead without knowing it: what comes next goes over new connections. */
  reconnect(): void;
}

/** No answer, or none that can be read. */
export class TransportError extends Error {
  /** `unsent`: nothing can have happened. `unknown`: it may have. `unreadable`: this is no Kubernetes API. */
  readonly certainty: 'unsent' | 'unknown' | 'unreadable';

  constructor(certainty: TransportError['certainty'], message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'TransportError';
    this.certainty = certainty;
  }
}

export function isStream(answer: KubeStream | KubeResponse): answer is KubeStream {
  return 'next' in answer;
}
