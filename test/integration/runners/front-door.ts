/**
 * The load balancer of a service: each request goes to one of the replicas. A replica that refuses the connection is
 * skipped; a connection that breaks fails the request, because its effect is unknown.
 */
import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface FrontDoor {
  readonly url: string;
  close(): Promise<void>;
}

export async function openFrontDoor(ports: readonly number[]): Promise<FrontDoor> {
  let round = 0;
  const server = createServer((asked, answer) => {
    round += 1;
    const order = ports.map((_, index) => ports[(round + index) % ports.length] ?? 0);
    void passOn({ asked, answer }, order);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Visit {
  readonly asked: IncomingMessage;
  readonly answer: ServerResponse;
}

async function passOn(visit: Visit, order: readonly number[]): Promise<void> {
  const read = await buffer(visit.asked).then(
    (body) => ({ body }),
    (error: unknown) => ({ error }),
  );
  // The caller has gone.
  if ('error' in read) return;
  const { body } = read;
  for (const port of order) if ((await attempt(visit, { port, body })) === 'done') return;
  visit.answer.writeHead(502).end();
}

function attempt(
  { asked, answer }: Visit,
  { port, body }: { readonly port: number; readonly body: Uint8Array },
): Promise<'done' | 'refused'> {
  const { promise, resolve } = Promise.withResolvers<'done' | 'refused'>();
  const { method, url: path, headers } = asked;
  const inner = request({ host: '127.0.0.1', port, method, path, headers, agent: false });
  answer.once('close', () => inner.destroy());
  inner.on('response', (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
    reply.on('error', () => answer.destroy());
    resolve('done');
  });
  inner.on('error', (error) => {
    const isRefused = 'code' in error && error.code === 'ECONNREFUSED';
    if (isRefused) return resolve('refused');
    if (!answer.headersSent) answer.writeHead(502).end();
    return resolve('done');
  });
  inner.end(body);
  return promise;
}
