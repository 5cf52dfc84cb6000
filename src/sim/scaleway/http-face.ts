/**
 * The simulated cloud over HTTP, for the official client library and whoever else speaks the API of Scaleway. Time passes
 * as fast as its clock says; nothing else is different from the cloud of a simulated world.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ZodError } from 'zod';
import type { ApiRequest } from '../../provider/scaleway/api-request.ts';
import type { Reply } from '../../provider/scaleway/reply.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Cloud } from './cloud.ts';
import { control, type ControlPorts } from './http-control.ts';
import { exchange, send } from './http-exchange.ts';
import { HttpFaults } from './http-faults.ts';
import { requestOf, type HttpRequest } from './http-routes.ts';
import { failed, invalidArgument, unauthenticated } from './wire-bodies.ts';

export interface HttpFaceOptions {
  readonly cloud: Cloud;
  /** The time of the cloud, and the timers of faults. */
  readonly clock: Clock & ControlPorts['clock'];
  /** What `X-Auth-Token` must be. */
  readonly secretKey: string;
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly onFailure: (error: unknown) => void;
}

export interface HttpFace {
  readonly url: string;
  readonly faults: HttpFaults;
  close(): Promise<void>;
}

const bodyBytesMax = 1024 * 1024;

export async function serveCloud(options: HttpFaceOptions): Promise<HttpFace> {
  const faults = new HttpFaults();
  const server = createServer((request, response) => {
    void respond({ ...options, faults }, request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, resolve);
  });
  return { url: `http://${options.host}:${portOf(server.address())}`, faults, close: () => closeAll(server) };
}

type Face = HttpFaceOptions & { readonly faults: HttpFaults };

async function respond(face: Face, message: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const request = await requestIn(message);
    if ('status' in request) return send(response, request);
    if (request.path.startsWith('/control/')) return send(response, control(request, face));
    if (message.headers['x-auth-token'] !== face.secretKey) return send(response, unauthenticated);
    answer(face, request, response);
  } catch (error) {
    face.onFailure(error);
    send(response, failed);
  }
}

function answer(face: Face, request: HttpRequest, response: ServerResponse): void {
  const asked = readRequest(request);
  if (asked === undefined) send(response, nowhere);
  else if ('status' in asked) send(response, asked);
  else exchange(face, asked, response);
}

/** A body that cannot be is answered like any wrong argument. */
function readRequest(request: HttpRequest): ApiRequest | Reply | undefined {
  try {
    return requestOf(request);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    return invalidArgument(error.issues[0]?.path.join('.') ?? 'body', 'is not as it should be');
  }
}

const nowhere: Reply = { status: 404, contentType: 'text/plain', body: '404 page not found' };

/** A body that is no JSON is answered at once. */
async function requestIn(message: IncomingMessage): Promise<HttpRequest | Reply> {
  const url = new URL(message.url ?? '/', 'http://localhost');
  const text = await textOf(message);
  const request = { method: message.method ?? 'GET', path: url.pathname, query: url.searchParams };
  if (text === '') return { ...request, body: undefined };
  try {
    const body: unknown = JSON.parse(text);
    return { ...request, body };
  } catch {
    return invalidArgument('body', 'is no JSON');
  }
}

async function textOf(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > bodyBytesMax) throw new Error(`a request is larger than ${bodyBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function portOf(address: string | AddressInfo | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function closeAll(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
