/**
 * A Kubernetes API over HTTP: one pool of kept-alive connections, credentials read for each request, no redirects,
 * and a size limit for answers. The caller sets deadlines, so those of undici are off.
 */
import { Agent, type Dispatcher } from 'undici';
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Connection, Credentials } from './connection.ts';
import { redacted } from '../../platform/secret.ts';
import { LineStream } from './line-stream.ts';
import {
  TransportError,
  type KubeRequest,
  type KubeResponse,
  type KubeStream,
  type KubeTransport,
} from './transport.ts';

export interface HttpTransportOptions {
  readonly connection: Connection;
  /** The user agent, such as `muster/0.1.0`. */
  readonly userAgent: string;
  readonly now: () => number;
  readonly bytesMax?: number;
}

const bytesDefaultMax = 128 * 1024 * 1024;
const keepAliveProbeMs = 30_000;

interface Answer extends Dispatcher.ResponseData {
  /** The token that was sent. */
  readonly token: string | undefined;
}

export class HttpTransport implements KubeTransport {
  readonly #options: HttpTransportOptions;
  #pool: { readonly agent: Agent; readonly key: string } | undefined;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
  }

  async send(request: KubeRequest, signal: AbortSignal): Promise<KubeResponse> {
    return this.#read(await this.#ask(request, signal), request.isText);
  }

  async stream(request: KubeRequest, signal: AbortSignal): Promise<KubeStream | KubeResponse> {
    const answer = await this.#ask(request, signal);
    return answer.statusCode === 200 ? new LineStream(answer.body) : this.#read(answer);
  }

  /** Requests under way end on their own, or by the deadline of their caller. */
  reconnect(): void {
    void this.#pool?.agent.close();
    this.#pool = undefined;
  }

  async close(): Promise<void> {
    await this.#pool?.agent.destroy();
  }

  async #ask(request: KubeRequest, signal: AbortSignal): Promise<Answer> {
    const { connection, userAgent } = this.#options;
    try {
      const credentials = await connection.credentials.current();
      const token = credentials.token?.reveal();
      const answer = await this.#agentFor(credentials).request({
        ...placeOf(connection, request),
        method: request.method,
        signal,
        headers: {
          accept: request.isText === true ? '*/*' : 'application/json',
          'user-agent': userAgent,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        body: request.body === undefined ? null : JSON.stringify(request.body),
      });
      if (answer.statusCode === 401) connection.credentials.refused(credentials);
      return { ...answer, token };
    } catch (error) {
      throw lost(error);
    }
  }

  /** A certificate belongs to its connections, so another certificate needs new connections. */
  #agentFor({ certificate }: Credentials): Agent {
    const key = certificate?.pem ?? '';
    if (this.#pool?.key === key) return this.#pool.agent;
    this.reconnect();
    const { authority, serverName, trustsAnybody = false } = this.#options.connection;
    const agent = new Agent({
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: {
        rejectUnauthorized: !trustsAnybody,
        keepAlive: true,
        keepAliveInitialDelay: keepAliveProbeMs,
        ...(authority !== undefined && { ca: authority }),
        ...(serverName !== undefined && { servername: serverName }),
        ...(certificate !== undefined && { cert: certificate.pem, key: certificate.key.reveal() }),
      },
    });
    this.#pool = { agent, key };
    return agent;
  }

  async #read(answer: Answer, isText = false): Promise<KubeResponse> {
    const text = withoutToken(await this.#text(answer), answer);
    const after = retryAfter(answer.headers['retry-after'], this.#options.now());
    return {
      status: answer.statusCode,
      body: isText && answer.statusCode < 300 ? text : parsed(text, answer),
      ...(after !== undefined && { retryAfterSeconds: after }),
    };
  }

  async #text(answer: Answer): Promise<string> {
    const max = this.#options.bytesMax ?? bytesDefaultMax;
    const pieces: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const piece of answer.body) {
        if (!(piece instanceof Uint8Array)) continue;
        bytes += piece.length;
        // Leaving the loop also ends the answer.
        if (bytes > max) break;
        pieces.push(Buffer.from(piece));
      }
    } catch (error) {
      throw lost(error);
    }
    if (bytes <= max) return Buffer.concat(pieces).toString();
    throw new TransportError('unreadable', `the answer is larger than ${max} bytes`);
  }
}

function placeOf({ server }: Connection, request: KubeRequest) {
  const { origin, pathname } = new URL(server);
  const query = new URLSearchParams(request.query).toString();
  const path = `${pathname === '/' ? '' : pathname}${request.path}`;
  return { origin, path: query === '' ? path : `${path}?${query}` };
}

/** A proxy that refuses a request may echo it, and its message is printed. */
function withoutToken(text: string, { statusCode, token }: Answer): string {
  return token === undefined || token === '' || statusCode < 300 ? text : text.replaceAll(token, redacted);
}

/** An error may come from a proxy, so only a success must be JSON. */
function parsed(text: string, { statusCode, headers }: Answer): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch (error) {
    if (statusCode >= 300) return { message: text.slice(0, 200) };
    const type = [headers['content-type'] ?? 'no content type'].flat().join(', ');
    throw new TransportError('unreadable', `the server answered with ${type}, which is not JSON`, error);
  }
}

/** Seconds, or a date. */
function retryAfter(header: string | string[] | undefined, now: number): number | undefined {
  const text = [header ?? ''].flat()[0] ?? '';
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}

/** Codes of undici and Node for a request that was never sent. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
const notTls = 'the server does not use TLS: should the address begin with http://?';
/** Messages that replace those of OpenSSL, by code. */
const inPlainWords: ReadonlyMap<string, string> = new Map([
  ['ERR_SSL_WRONG_VERSION_NUMBER', notTls],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', notTls],
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'the private key does not match the client certificate'],
]);

/** Errors of credentials already have a clear message. */
function lost(error: unknown): TransportError | FleetError {
  if (error instanceof TransportError || isFleetError(error)) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const plain = inPlainWords.get(code);
  if (plain !== undefined) return new TransportError('unsent', plain, error);
  const why = error instanceof Error ? error.message : String(error);
  const isTls = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code);
  return new TransportError(unsent.has(code) || isTls ? 'unsent' : 'unknown', why === '' ? code : why, error);
}
