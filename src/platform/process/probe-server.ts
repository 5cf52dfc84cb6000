/**
 * The probes of a process: `/healthz` (must it be restarted?), `/readyz` (does it work?) and `/metrics`. Any answer
 * proves that the event loop runs. A standby replica with complete caches is ready, because it can take over at once.
 *
 * Guarantees: only these three paths, only GET and HEAD, and slow or silent clients are disconnected.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import type { Check } from './health-check.ts';

export interface ProbeServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly alive: readonly Check[];
  readonly ready: readonly Check[];
  /** Whether this replica leads; readiness does not depend on it. */
  readonly role?: () => 'leader' | 'standby';
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
  /** Called with the error of a check or a metric: a bug. */
  readonly onFault: (error: unknown) => void;
  readonly clock: Clock;
  /** Time limit for a request, and again for reading its answer. */
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
  // The limits of the server only cover reading: a client that does not read its answer would keep its connection for
  // ever.
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
    // One answer per connection, so that no client can queue requests behind an answer that it does not read.
    connection: 'close',
  });
  response.end(text);
}

async function answerTo({ method, url = '' }: IncomingMessage, options: ProbeServerOptions): Promise<Answer> {
  const [path = ''] = url.split('?', 1);
  const page = pages.get(path);
  if (page === undefined) return plain(404, 'the paths are /healthz, /readyz and /metrics');
  if (method !== 'GET' && method !== 'HEAD') return plain(405, 'the methods are GET and HEAD');
  try {
    return await page(options);
  } catch (error) {
    options.onFault(error);
    return plain(500, 'the check failed; the log has the cause');
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

/** Every check runs, so that the answer names all problems. */
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
    throw new Error('unreachable: a listening server has an address');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host}:${address.port}`;
}

/** Connected clients are disconnected: a failing probe is correct now. */
function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
