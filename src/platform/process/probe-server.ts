/**
 * Answers whoever looks after the process: `/healthz` (should it be restarted?), `/readyz` (does it do its work?) and
 * `/metrics`. An answer at all means that the event loop turns. A replica that stands by with complete copies is ready:
 * it can take over at once.
 *
 * Keeps: nothing but these three paths, nothing but GET and HEAD, and a client that is slow or silent is cut off.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Check } from './health-check.ts';

export interface ProbeServerOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly alive: readonly Check[];
  readonly ready: readonly Check[];
  /** Says whether this replica leads; it changes nothing about being ready. */
  readonly role?: () => 'leader' | 'standby';
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Told of a check or a measurement that threw: a fault of our own. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Clock;
  /** A request may take this long to come, and its answer as long to be read. */
  readonly requestMaxMs?: number;
}

export interface ProbeServer {
  readonly url: string;
  close(): Promise<void>;
}

const requestDefaultMaxMs = 5000;
const headerBytesMax = 8 * 1024;
const connectionsMax = 64;

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

export async function serveProbes(options: ProbeServerOptions): Promise<ProbeServer> {
  const { host, port, requestMaxMs = requestDefaultMaxMs } = options;
  const server = createServer(
    {
      requestTimeout: requestMaxMs,
      headersTimeout: requestMaxMs,
      keepAliveTimeout: requestMaxMs,
      connectionsCheckingInterval: Math.min(1000, requestMaxMs),
      maxHeaderSize: headerBytesMax,
    },
    (request, response) => void respond(request, response, options),
  );
  server.maxConnections = connectionsMax;
  // The server's own limits are about what is read; one who does not read our answer would hold its place for ever.
  server.on('connection', (socket) => {
    const cancel = options.clock.after(2 * requestMaxMs, () => socket.destroy());
    socket.once('close', cancel);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { url: urlOf(server), close: () => closed(server) };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: ProbeServerOptions,
): Promise<void> {
  const { status, contentType, text } = await answerTo(request, options);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD' }),
    // One answer for each connection: nobody can queue up requests behind one that they do not read.
    connection: 'close',
  });
  response.end(text);
}

async function answerTo({ method, url = '' }: IncomingMessage, options: ProbeServerOptions): Promise<Answer> {
  const [path = ''] = url.split('?', 1);
  const page = pages.get(path);
  if (page === undefined) return plain(404, 'there are /healthz, /readyz and /metrics');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET and HEAD are answered');
  try {
    return await page(options);
  } catch (error) {
    options.onFault(error);
    return plain(500, 'it could not be found out; the log says why');
  }
}

type Page = (options: ProbeServerOptions) => Answer | Promise<Answer>;

const pages: ReadonlyMap<string, Page> = new Map<string, Page>([
  ['/healthz', ({ alive }) => asked(alive, {})],
  ['/readyz', ({ ready, role }) => asked(ready, role === undefined ? {} : { role: role() })],
  ['/metrics', ({ metrics }) => measured(metrics)],
]);

async function measured(metrics: ProbeServerOptions['metrics']): Promise<Answer> {
  return { status: 200, contentType: metrics.contentType, text: await metrics.text() };
}

/** Every check is asked, so that the answer names all that is wrong. */
function asked(checks: readonly Check[], more: Readonly<Record<string, string>>): Answer {
  const failing = checks.flatMap((one) => {
    const why = one.check();
    return why === undefined ? [] : [{ name: one.name, why }];
  });
  const isWell = failing.length === 0;
  const text = `${JSON.stringify({ ok: isWell, ...more, checks: checks.map(({ name }) => name), failing })}\n`;
  return { status: isWell ? 200 : 503, contentType: 'application/json', text };
}

function plain(status: number, text: string): Answer {
  return { status, contentType: 'text/plain; charset=utf-8', text: `${text}\n` };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('a server that listens has an address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Whoever is still connected is cut off: a probe that fails now is right. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
