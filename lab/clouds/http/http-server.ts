/** Listens on loopback for a simulated service, and reads requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Parsed, or undefined without a body. */
  readonly body: unknown;
}

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

const bodyBytesMax = 1024 * 1024;

export async function listen(
  { host, port }: ListenOptions,
  respond: (message: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const server = createServer((message, response) => void respond(message, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
  });
  return { url: `http://${host}:${portOf(server.address())}`, close: () => closeAll(server) };
}

/** Known before the body is read. */
export function pathOf({ url }: IncomingMessage): string {
  return new URL(url ?? '/', 'http://localhost').pathname;
}

/** A body that is not JSON is answered at once, with the result of `refuse`. */
export async function requestIn<Refusal>(
  message: IncomingMessage,
  refuse: () => Refusal,
): Promise<HttpRequest | Refusal> {
  const url = new URL(message.url ?? '/', 'http://localhost');
  const text = await textOf(message);
  const request = { method: message.method ?? 'GET', path: url.pathname, query: url.searchParams };
  if (text === '') return { ...request, body: undefined };
  try {
    const body: unknown = JSON.parse(text);
    return { ...request, body };
  } catch {
    return refuse();
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
