/** The HTTPS server of the API: TLS with HTTP/2 and HTTP/1.1 on one port. It adds only authentication. */
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/sleep.ts';
import { authenticated, type Identity } from '../auth/identity.ts';
import { decodeBody } from '../body.ts';
import { isJsonObject } from '../json.ts';
import type { ApiRequest, ApiResponse, Handler, Reply } from '../request.ts';
import { StatusError } from '../status-error.ts';
import type { KeyPair } from './certificates.ts';
import { credentialsOf } from './credentials.ts';
import { limitConnections, usualLimits, type ConnectionLimits } from './connection-limits.ts';
import { cutOff } from './cut-off.ts';
import { relay } from './relay.ts';
import { discardBody, discardAfterAnswer } from './discard-body.ts';
import { anonymousBytesMax, BodyBudget, bodyBytesMax, readBody } from './read-body.ts';
import { sendJson } from './send-json.ts';
import { streamWatch } from './watch-stream.ts';

export interface HttpsOptions {
  readonly server: Handler;
  readonly clock: Clock;
  readonly serving: KeyPair;
  /** The authority of client certificates. */
  readonly clientAuthority: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly limits?: ConnectionLimits;
  /** Receives internal errors; the client gets no details. */
  readonly onFailure: (error: unknown) => void;
}

export interface HttpsServer {
  readonly url: string;
  /** The resolved address of the host. */
  readonly ip: string;
  readonly port: number;
  close(): Promise<void>;
}

const noContent = 204;
const handshakeWithinMs = 10_000;
const streamsMax = 250;
/** A smaller body costs only a few milliseconds. */
const largeBytes = 64 * 1024;
/** The memory limit of all request bodies in progress. */
const bodiesBytesMax = 64 * 1024 * 1024;
const anonymousBodiesBytesMax = 1024 * 1024;
const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const healthPaths = new Set(['/healthz', '/livez', '/readyz']);

interface Face extends HttpsOptions {
  readonly budgets: { readonly known: BodyBudget; readonly anonymous: BodyBudget };
}

export async function serveHttps(options: HttpsOptions): Promise<HttpsServer> {
  const { serving, clientAuthority, host, port } = options;
  const tls = {
    cert: serving.certificate,
    key: serving.key,
    ca: clientAuthority,
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: handshakeWithinMs,
    settings: { maxConcurrentStreams: streamsMax },
  };
  const budgets = {
    known: new BodyBudget(bodyBytesMax, bodiesBytesMax),
    anonymous: new BodyBudget(anonymousBytesMax, anonymousBodiesBytesMax),
  };
  const face = createSecureServer({ ...tls, allowHTTP1: true }, (request, response) => {
    discardAfterAnswer(request, response, options.clock);
    void respond({ ...options, budgets }, request, response);
  });
  const sockets = limitConnections(face, options.limits ?? usualLimits, options.clock);
  // Ignore clients that abort the handshake or send garbage.
  face.on('tlsClientError', (_error, socket) => socket.destroy());
  face.on('sessionError', () => undefined);
  await new Promise<void>((resolve, reject) => {
    face.once('error', reject);
    face.listen({ host, port }, resolve);
  });
  const { address: ip, port: bound } = boundTo(face.address());
  return { url: `https://${host}:${bound}`, ip, port: bound, close: () => closeAll(face, sockets) };
}

function boundTo(address: string | AddressInfo | null): AddressInfo {
  if (typeof address === 'object' && address !== null) return address;
  throw new Error('the HTTPS server listens on no port');
}

async function closeAll(
  face: { close(done: () => void): unknown },
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => face.close(() => resolve()));
  for (const socket of sockets) socket.destroy();
  await closed;
}

async function respond(
  options: Face,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
): Promise<void> {
  try {
    const answer = await answerTo(options, request);
    // Never answer with a state that a crash could undo.
    await options.server.durable();
    if (typeof answer === 'string')
      response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(answer);
    else await send(answer, response, options);
  } catch (error) {
    if (!(error instanceof StatusError)) options.onFailure(error);
    refuse(
      response,
      error instanceof StatusError
        ? error
        : new StatusError(
            'InternalError',
            'an error on the server has prevented the request from succeeding',
          ),
    );
  }
}

async function answerTo(face: Face, request: Http2ServerRequest): Promise<Reply | string> {
  const { server } = face;
  const url = urlOf(request);
  const identity = server.identify(credentialsOf(socketOf(request), request.headers));
  if (healthPaths.has(url.pathname)) return 'ok';
  const head = { identity, ...headOf(request, url) };
  // Authorize before reading the body, and again with the body: an unauthorized client must not send one.
  server.authorize(head);
  const rest = await restOf(face, request, head);
  const answer = server.handle({ ...head, ...rest.fields });
  return rest.isLarge ? afterOthers(answer, face.clock) : answer;
}

function urlOf(request: Http2ServerRequest): URL {
  const url = request.url.startsWith('/') ? URL.parse(`https://localhost${request.url}`) : null;
  if (url === null) throw new StatusError('BadRequest', 'the path of the request cannot be read');
  return url;
}

function socketOf(request: Http2ServerRequest): TLSSocket {
  const socket = request.httpVersionMajor >= 2 ? request.stream.session?.socket : request.socket;
  if (!isTlsSocket(socket)) throw new Error('a connection without TLS reached the HTTPS server');
  return socket;
}

/** HTTP/2 returns a proxy of the socket, which has its members but does not list them. */
function isTlsSocket(socket: Socket | TLSSocket | undefined): socket is TLSSocket {
  return socket !== undefined && typeof Reflect.get(socket, 'getPeerCertificate') === 'function';
}

function headOf(request: Http2ServerRequest, url: URL): Pick<ApiRequest, 'method' | 'path' | 'query'> {
  const { method } = request;
  if (!isMethod(method)) throw new StatusError('MethodNotAllowed', `the server does not allow ${method}`);
  return { method, path: url.pathname, query: Object.fromEntries(url.searchParams) };
}

interface Rest {
  readonly fields: Omit<ApiRequest, 'identity' | 'method' | 'path' | 'query'>;
  readonly isLarge: boolean;
}

async function restOf(
  { budgets, clock }: Face,
  request: Http2ServerRequest,
  { method, identity }: Pick<ApiRequest, 'method' | 'identity'>,
): Promise<Rest> {
  const contentType = request.headers['content-type'] ?? 'application/json';
  const head = {
    contentType,
    accept: request.headers.accept ?? '',
    userAgent: request.headers['user-agent'] ?? '',
  };
  // Bodies of GET have no meaning and are not read.
  if (method === 'GET') {
    discardBody(request, clock);
    return { fields: head, isLarge: false };
  }
  const bytes = await readBody(request, isKnown(identity) ? budgets.known : budgets.anonymous, clock);
  const isLarge = bytes.length > largeBytes;
  if (isLarge) await afterOthers(undefined, clock);
  const { value, duplicates } = decodeBody(bytes, contentType);
  const fields = { ...head, body: value, duplicates };
  return isLarge ? afterOthers({ fields, isLarge }, clock) : { fields, isLarge };
}

/** Yields to other requests between the steps of a large one, which take up to 100 ms per MB. */
async function afterOthers<T>(value: T, clock: Clock): Promise<Awaited<T>> {
  await sleep(clock, 0);
  return await value;
}

function isKnown({ groups }: Identity): boolean {
  return groups.includes(authenticated);
}

function isMethod(method: string): method is ApiRequest['method'] {
  return methods.has(method);
}

async function send(
  answer: Reply,
  response: Http2ServerResponse,
  { server, clock }: HttpsOptions,
): Promise<void> {
  if ('broken' in answer) {
    cutOff(response);
    return;
  }
  if ('watch' in answer) {
    response.writeHead(200, { 'content-type': 'application/json' });
    await streamWatch({ watch: answer.watch, response, durable: () => server.durable() });
    return;
  }
  if ('relay' in answer) {
    await relay(answer.relay, response, clock);
    return;
  }
  response.setHeader('content-type', answer.contentType ?? 'application/json');
  const warnings = answer.warnings.map(warningHeader);
  if (warnings.length > 0) response.setHeader('warning', warnings);
  const seconds = retryAfter(answer);
  if (seconds !== undefined) response.setHeader('retry-after', String(seconds));
  response.writeHead(answer.status);
  if (answer.status === noContent) response.end();
  else if (answer.bytes !== undefined) response.end(answer.bytes);
  else await sendJson(response, answer.body);
}

/** Headers are byte strings, so UTF-8 is encoded as bytes. */
function warningHeader(text: string): string {
  return `299 - ${Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')}`;
}

/** An error with retryAfterSeconds also gets the header Retry-After. */
function retryAfter({ status, body: { details } }: ApiResponse): number | undefined {
  const seconds = status >= 400 && isJsonObject(details) ? details['retryAfterSeconds'] : undefined;
  return typeof seconds === 'number' ? seconds : undefined;
}

function refuse(response: Http2ServerResponse, error: StatusError): void {
  if (response.headersSent) cutOff(response);
  else
    response
      .writeHead(error.code, { 'content-type': 'application/json' })
      .end(JSON.stringify(error.toObject()));
}
