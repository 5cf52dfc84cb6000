/**
 * Carries a request to a Kubernetes API: over HTTPS, or by a call in the same process under virtual time. A transport
 * reports the answer and interprets nothing.
 */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** `application/json` unless given. */
  readonly contentType?: string;
  readonly body?: unknown;
  /** A success is plain text, such as a log, and is returned unchanged. */
  readonly isText?: boolean;
}

export interface KubeResponse {
  readonly status: number;
  /** In seconds, as the server sent it. */
  readonly retryAfterSeconds?: number;
  /** The parsed JSON. */
  readonly body: unknown;
}

/** A watch: objects in order, until the server or the caller ends it. */
export interface KubeStream {
  /** Undefined at a clean end; rejects with a `TransportError` when the watch breaks. */
  next(): Promise<unknown>;
  close(): void;
}

export interface KubeTransport {
  /** Rejects with a `TransportError` without an answer. `signal` aborts the request. */
  send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse>;
  /** A stream if the server accepts the watch, otherwise its refusal. */
  stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse>;
  /** Current connections may be dead without notice: later requests use new connections. */
  reconnect(): void;
}

/** No answer, or an unreadable answer. */
export class TransportError extends Error {
  /** `unsent`: nothing can have happened. `unknown`: it may have. `unreadable`: not an answer of a Kubernetes API. */
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
