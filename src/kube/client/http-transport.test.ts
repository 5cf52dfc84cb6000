/** Answers of the network: none, invalid, too large, or a redirect. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { Secret } from '../../platform/secret.ts';
import type { CredentialSource } from './connection.ts';
import { fixed } from './credential-sources.ts';
import { HttpTransport } from './http-transport.ts';
import { isStream, TransportError, type KubeRequest, type KubeStream } from './transport.ts';

const read: KubeRequest = { method: 'GET', path: '/api/v1/pods', query: { limit: '1' } };
const now = Date.UTC(2026, 0, 1);
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

function transportTo(
  server: string,
  credentials: CredentialSource = fixed({ token: new Secret('secret') }),
  bytesMax = 1000,
) {
  const transport = new HttpTransport({
    connection: { server, credentials },
    userAgent: 'muster/test',
    now: () => now,
    bytesMax,
  });
  open.push(() => transport.close());
  return transport;
}

const patient = new AbortController().signal;

async function failure(server: string): Promise<string> {
  const error: unknown = await transportTo(server)
    .send(read, patient)
    .catch((caught: unknown) => caught);
  if (!(error instanceof TransportError)) throw new Error(`no failure: ${JSON.stringify(error)}`);
  return `${error.certainty}: ${error.message}`;
}

describe('over HTTP', () => {
  it('returns requested text unchanged, and still parses a refusal', async () => {
    const replies = [200, 404].map((status) => ({
      status,
      text: status === 200 ? '{"a":1}\nb' : '{"kind":"Status"}',
    }));
    const server = await serve((_request, response) => {
      const { status, text } = replies.shift() ?? { status: 500, text: '' };
      response.writeHead(status).end(text);
    });
    const transport = transportTo(server);
    expect((await transport.send({ ...read, isText: true }, patient)).body).toBe('{"a":1}\nb');
    expect((await transport.send({ ...read, isText: true }, patient)).body).toEqual({ kind: 'Status' });
  });

  it('sends the user agent, the path and the credentials', async () => {
    const seen: unknown[] = [];
    const server = await serve((request, response) => {
      const { method, url, headers } = request;
      seen.push([method, url, headers.authorization, headers['user-agent'], headers['content-type']]);
      response.end('{"kind":"Pod"}');
    });
    const request = {
      ...read,
      method: 'PATCH',
      contentType: 'application/merge-patch+json',
      body: {},
    } as const;
    expect(await transportTo(server).send(request, patient)).toEqual({ status: 200, body: { kind: 'Pod' } });
    expect(seen).toEqual([
      ['PATCH', '/api/v1/pods?limit=1', 'Bearer secret', 'muster/test', 'application/merge-patch+json'],
    ]);
  });

  it('removes our token from a refusal, and leaves a success unchanged', async () => {
    const replies = [200, 401, 502];
    const server = await serve((request, response) => {
      response.writeHead(replies.shift() ?? 500);
      response.end(JSON.stringify({ message: `you sent ${request.headers.authorization}` }));
    });
    const transport = transportTo(server, fixed({ token: new Secret('4f1c-static') }));
    const said: unknown[] = [];
    for (let times = 0; times < 3; times += 1) said.push((await transport.send(read, patient)).body);
    expect(said).toEqual([
      { message: 'you sent Bearer 4f1c-static' },
      { message: 'you sent Bearer [secret]' },
      { message: 'you sent Bearer [secret]' },
    ]);
  });

  it('a server may have a path prefix', async () => {
    const server = await serve((request, response) => response.end(JSON.stringify({ path: request.url })));
    const { body } = await transportTo(`${server}/clusters/one`).send(read, patient);
    expect(body).toEqual({ path: '/clusters/one/api/v1/pods?limit=1' });
  });

  it('connections are kept', async () => {
    const ports = new Set<unknown>();
    const server = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const transport = transportTo(server);
    for (let times = 0; times < 20; times += 1) await transport.send(read, patient);
    // A second connection may be opened while the first is still being returned.
    expect(ports.size).toBeLessThanOrEqual(2);
  });

  it.for([
    [
      'HTML',
      'text/html',
      '<html>Welcome</html>',
      'unreadable: the server answered with text/html, which is not JSON',
    ],
    [
      'truncated JSON',
      'application/json',
      '{"kind":',
      'unreadable: the server answered with application/json, which is not JSON',
    ],
    [
      'too much',
      'application/json',
      JSON.stringify('x'.repeat(2000)),
      'unreadable: the answer is larger than 1000 bytes',
    ],
  ] as const)('an answer of %s has its own error', async ([, type, text, expected]) => {
    const server = await serve((_request, response) => response.setHeader('content-type', type).end(text));
    expect(await failure(server)).toBe(expected);
  });

  it('an answer without an end is not read to the end', async () => {
    const gone = Promise.withResolvers<void>();
    const server = await serve((_request, response) => {
      response.on('close', () => gone.resolve());
      const more = (): void => void (response.write('x'.repeat(500)) && setImmediate(more));
      more();
      response.on('drain', more);
    });
    expect(await failure(server)).toContain('larger than 1000 bytes');
    await expect(gone.promise).resolves.toBeUndefined();
  });

  it('an answer that breaks off counts as unknown', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"kind"');
      setImmediate(() => response.destroy());
    });
    expect(await failure(server)).toMatch(/^unknown: /);
  });

  it('a refused connection means that nothing was sent', async () => {
    expect(await failure('http://127.0.0.1:1')).toMatch(/^unsent: /);
  });

  it('a redirect is not followed, and no credentials are sent elsewhere', async () => {
    let visitors = 0;
    const elsewhere = await serve((_request, response) => {
      visitors += 1;
      response.end('{}');
    });
    const server = await serve((_request, response) => {
      response.writeHead(302, { location: `${elsewhere}/api` }).end();
    });
    expect((await transportTo(server).send(read, patient)).status).toBe(302);
    expect(visitors).toBe(0);
  });

  it.for([
    ['17', 17],
    [new Date(now + 5000).toUTCString(), 5],
    ['soon', undefined],
  ] as const)('Retry-After %s is %s seconds', async ([header, seconds]) => {
    const server = await serve((_request, response) =>
      response.writeHead(429, { 'retry-after': header }).end('{}'),
    );
    expect((await transportTo(server).send(read, patient)).retryAfterSeconds).toBe(seconds);
  });

  it('refused credentials are read again', async () => {
    let refusals = 0;
    const source: CredentialSource = {
      current: () => Promise.resolve({ token: new Secret(`token-${refusals}`) }),
      refused: () => void (refusals += 1),
    };
    const server = await serve(({ headers }, response) =>
      response.writeHead(headers.authorization === 'Bearer token-1' ? 200 : 401).end('{}'),
    );
    const transport = transportTo(server, source);
    expect((await transport.send(read, patient)).status).toBe(401);
    expect((await transport.send(read, patient)).status).toBe(200);
  });

  it('missing credentials are reported, and nothing is sent', async () => {
    const none = new FleetError('unavailable', { reason: 'NoCredentials', message: 'disk failure' });
    let requests = 0;
    const server = await serve((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    const source: CredentialSource = { current: () => Promise.reject(none), refused: () => undefined };
    await expect(transportTo(server, source).send(read, patient)).rejects.toBe(none);
    expect(requests).toBe(0);
  });

  it('the credential source gets the refused credentials', async () => {
    const credentials = { token: new Secret('one') };
    const refused: unknown[] = [];
    const source: CredentialSource = {
      current: () => Promise.resolve(credentials),
      refused: (shown) => void refused.push(shown),
    };
    const server = await serve((_request, response) => response.writeHead(401).end('{}'));
    await transportTo(server, source).send(read, patient);
    expect(refused).toEqual([credentials]);
  });

  it('an aborted request ends at once', async () => {
    const server = await serve(() => undefined);
    const giveUp = new AbortController();
    const sent = transportTo(server).send(read, giveUp.signal);
    giveUp.abort();
    await expect(sent).rejects.toBeInstanceOf(TransportError);
  });
});

async function streamFrom(handler: Handler): Promise<KubeStream> {
  const transport = transportTo(await serve(handler));
  const stream = await transport.stream(read, patient);
  if (!isStream(stream)) throw new Error(`the watch was refused with ${stream.status}`);
  return stream;
}

describe('a watch over HTTP', () => {
  it('yields one event for each line, however the lines are split, and an end', async () => {
    const stream = await streamFrom((_request, response) => {
      for (const piece of ['{"n":', '1}\n{"n":2}\n', '\n{"n":3', '}\n']) response.write(piece);
      response.end();
    });
    expect([await stream.next(), await stream.next(), await stream.next(), await stream.next()]).toEqual([
      { n: 1 },
      { n: 2 },
      { n: 3 },
      undefined,
    ]);
  });

  it.for([
    ['breaks off', (response: ServerResponse) => setImmediate(() => response.destroy()), 'unknown'],
    ['ends in the middle of an event', (response: ServerResponse) => response.end('{"n":'), 'unknown'],
    ['says what is not JSON', (response: ServerResponse) => response.end('nonsense\n'), 'unreadable'],
  ] as const)('that %s is not taken for a clean end', async ([, end, certainty]) => {
    const stream = await streamFrom((_request, response) => {
      response.write('{"n":1}\n');
      end(response);
    });
    expect(await stream.next()).toEqual({ n: 1 });
    await expect(stream.next()).rejects.toMatchObject({ certainty });
  });

  it('that is refused is answered like any other request', async () => {
    const server = await serve((_request, response) => response.writeHead(403).end('{"reason":"Forbidden"}'));
    expect(await transportTo(server).stream(read, patient)).toEqual({
      status: 403,
      body: { reason: 'Forbidden' },
    });
  });

  it('with an endless event is ended', async () => {
    const gone = Promise.withResolvers<void>();
    const stream = await streamFrom((_request, response) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const more = (): void => void (response.write(piece) && setImmediate(more));
      more();
      response.on('drain', more);
      response.on('close', () => gone.resolve());
    });
    await expect(stream.next()).rejects.toMatchObject({
      certainty: 'unreadable',
      message: 'one event of the watch has no end',
    });
    await expect(gone.promise).resolves.toBeUndefined();
  });

  it('closes its connection when closed', async () => {
    const gone = Promise.withResolvers<void>();
    const stream = await streamFrom((_request, response) => {
      response.write('{"n":1}\n');
      response.on('close', () => gone.resolve());
    });
    await stream.next();
    stream.close();
    await expect(gone.promise).resolves.toBeUndefined();
  });
});
