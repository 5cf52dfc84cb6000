/** Clients that send half of a request, send unreadable requests, or disconnect before the answer. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer as createKubelet } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyRandom as random, wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { ownIdentity as identity } from '../auth/identity.ts';
import type { Json } from '../json.ts';
import { ApiServer } from '../server.ts';
import { createAuthority, type Authority, type KeyPair } from './certificates.ts';
import { idleMs, type ConnectionLimits } from './connection-limits.ts';
import { serveHttps, type HttpsServer } from './https-server.ts';
import { lingerMs } from './discard-body.ts';
import { bodyWithinMs } from './read-body.ts';

const failures: unknown[] = [];
/** The timers of the server, which tests fire. */
const patience = new Map<() => void, number>();
const wait = (ms: number, then: () => void): (() => void) => {
  patience.set(then, ms);
  return () => void patience.delete(then);
};
const runOutOfPatience = (): void => {
  const waiting = [...patience.keys()];
  patience.clear();
  for (const then of waiting) then();
};
const untilWaitsFor = async (ms: number): Promise<void> => {
  while (![...patience.values()].includes(ms)) await new Promise((resolve) => void setImmediate(resolve));
};
let authority: Authority;
let admin: KeyPair;
let nobody: KeyPair;
let server: ApiServer;
let face: HttpsServer;

beforeAll(async () => {
  authority = await createAuthority({ clock, random });
  admin = await authority.client('admin', ['system:masters']);
  nobody = await authority.client('nobody');
  server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
  face = await serve();
});
afterAll(() => face.close());

async function serve(limits?: ConnectionLimits): Promise<HttpsServer> {
  return serveHttps({
    clock: { now: () => clock.now(), after: wait },
    server,
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    ...(limits !== undefined && { limits }),
    onFailure: (error) => failures.push(error),
  });
}

async function open(pair: KeyPair | undefined, at: HttpsServer = face): Promise<TLSSocket> {
  const socket = connect({
    port: at.port,
    host: '127.0.0.1',
    ca: authority.certificate,
    ...(pair !== undefined && { cert: pair.certificate, key: pair.key }),
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  return socket;
}

/** Sends these lines and returns the first line of the answer. */
async function answerTo(pair: KeyPair, ...lines: readonly string[]): Promise<string> {
  const socket = await open(pair);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  socket.destroy();
  return String(first).split('\r\n')[0] ?? '';
}

it.for(['//', 'http://[', '*', '/api/v1/namespaces//pods'])(
  'rejects the path %s without an internal error',
  async (path) => {
    expect(await answerTo(admin, `GET ${path} HTTP/1.1`, 'host: localhost')).toMatch(/ 40[0-9] /);
    expect(failures).toEqual([]);
  },
);

it('rejects an unauthorized request before its body is sent', async () => {
  const head = ['POST /api/v1/namespaces HTTP/1.1', 'host: localhost', 'content-length: 1000000'];
  expect(await answerTo(nobody, ...head)).toContain(' 403 ');
});

it('a write to an unserved kind is 404 before its body is read', async () => {
  const form = 'content-type: application/vnd.kubernetes.protobuf';
  const head = ['POST /apis/batch/v1/namespaces/default/jobs HTTP/1.1', 'host: localhost', form];
  expect(await answerTo(admin, ...head, 'content-length: 1000000')).toContain(' 404 ');
});

it('an aborted upload is no internal error', async () => {
  const socket = await open(admin);
  socket.write('POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"kind"');
  socket.destroy();
  await once(socket, 'close');
  expect(await answerTo(admin, 'GET /version HTTP/1.1', 'host: localhost')).toContain(' 200 ');
  expect(failures).toEqual([]);
});

it('does not wait for the body of a GET', async () => {
  const head = ['GET /version HTTP/1.1', 'host: localhost', 'content-length: 1000000'];
  expect(await answerTo(nobody, ...head)).toContain(' 200 ');
});

it('limits the body of unauthenticated clients, independent of roles', async () => {
  const group = 'rbac.authorization.k8s.io';
  const post = (plural: string, body: Json): unknown =>
    server.handle({ identity, method: 'POST', path: `/apis/${group}/v1/${plural}`, query: {}, body });
  const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['create'] }];
  post('clusterroles', { metadata: { name: 'open' }, rules });
  post('clusterrolebindings', {
    metadata: { name: 'open' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'open' },
    subjects: [{ apiGroup: group, kind: 'Group', name: 'system:unauthenticated' }],
  });
  const send = async (bytes: number): Promise<string> => {
    const socket = await open(undefined);
    const answered = once(socket, 'data');
    socket.write(`POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${bytes}\r\n\r\n`);
    socket.write(' '.repeat(bytes));
    const [first] = await answered;
    socket.destroy();
    return String(first).split('\r\n')[0] ?? '';
  };
  expect([await send(1000), await send(100_000)]).toEqual([
    expect.stringContaining(' 400 '),
    expect.stringContaining(' 413 '),
  ]);
});

it('ends a request with half a body at the deadline', async () => {
  const socket = await open(admin);
  const answered = once(socket, 'data');
  const closed = once(socket, 'close');
  socket.write('POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"kind"');
  await untilWaitsFor(bodyWithinMs);
  runOutOfPatience();
  expect(String((await answered)[0])).toContain(' 504 ');
  await untilWaitsFor(lingerMs);
  runOutOfPatience();
  await closed;
  expect(failures).toEqual([]);
});

it('closes a connection without requests', async () => {
  const socket = await open(undefined);
  const closed = once(socket, 'close');
  await untilWaitsFor(idleMs);
  runOutOfPatience();
  await expect(closed).resolves.toBeDefined();
});

const waitsWhileIdle = (): boolean => [...patience.values()].includes(idleMs);

it('closes an HTTP/2 session without requests', async () => {
  const session = connectHttp2(face.url, { ca: authority.certificate });
  const closed = once(session, 'close');
  await untilWaitsFor(idleMs);
  runOutOfPatience();
  await expect(closed).resolves.toBeDefined();
});

it('counts an HTTP/2 session as idle after its last answer, not during a request', async () => {
  const session = connectHttp2(face.url, {
    ca: authority.certificate,
    cert: admin.certificate,
    key: admin.key,
  });
  const closed = once(session, 'close');
  const watch = session.request({ ':path': '/api/v1/namespaces?watch=true' }).resume();
  await once(watch, 'response');
  expect(waitsWhileIdle()).toBe(false);
  watch.close();
  await untilWaitsFor(idleMs);
  runOutOfPatience();
  await expect(closed).resolves.toBeDefined();
});

it('closes an unread HTTP/2 body after the answer', async () => {
  const session = connectHttp2(face.url, { ca: authority.certificate });
  const stream = session.request({ ':method': 'POST', ':path': '/api/v1/nodes' }, { endStream: false });
  stream.write('x'.repeat(1000));
  const closed = once(stream.resume(), 'close');
  const [headers] = await once(stream, 'response');
  await closed;
  session.destroy();
  expect(headers).toMatchObject({ ':status': 403 });
});

it('reserves connections for clients with a certificate', async () => {
  const small = await serve({ all: 10, plain: 2 });
  const version = async (pair: KeyPair | undefined): Promise<TLSSocket> => {
    const socket = await open(pair, small);
    socket.on('error', () => undefined);
    socket.write('GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return socket;
  };
  for (const pair of [undefined, undefined, admin]) await once(await version(pair), 'data');
  const refused = await version(undefined);
  await Promise.race([once(refused, 'close'), once(refused, 'data').then(() => expect.unreachable())]);
  await small.close();
});

/** A kubelet that accepts a connection and never answers, and a client that requests a log. */
async function silentKubelet(): Promise<{ readonly asked: Socket; readonly reader: TLSSocket }> {
  const arrived = Promise.withResolvers<Socket>();
  const kubelet = createServer((socket) => {
    socket.on('error', () => undefined);
    arrived.resolve(socket);
    kubelet.close();
  });
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const reader = await askForLog(kubelet);
  const asked = await arrived.promise;
  asked.resume();
  return { asked, reader };
}

it('disconnects from a silent kubelet when the client disconnects', async () => {
  const { asked, reader } = await silentKubelet();
  const left = once(asked, 'close');
  reader.destroy();
  await expect(left).resolves.toBeDefined();
});

it('times out on a silent kubelet, and answers with an error', async () => {
  const { asked, reader } = await silentKubelet();
  const left = once(asked, 'close');
  const reported = once(reader, 'data');
  runOutOfPatience();
  await left;
  expect(String((await reported)[0])).toContain(' 500 ');
  reader.destroy();
});

/** A kubelet that has sent the first line of a log, and a client that has received it. */
async function talkingKubelet() {
  const serving = await authority.serving();
  const log = Promise.withResolvers<ServerResponse>();
  const kubelet = createKubelet({ cert: serving.certificate, key: serving.key }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('first');
    log.resolve(response);
    kubelet.close();
  });
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const reader = await askForLog(kubelet);
  let said = '';
  reader.on('data', (piece) => void (said += String(piece)));
  const hears = async (text: string): Promise<void> => {
    while (!said.includes(text)) await once(reader, 'data');
  };
  await hears('first');
  return { log: await log.promise, reader, hears, said: () => said };
}

it('a started log may be silent without a limit', async () => {
  const { log, reader, hears } = await talkingKubelet();
  runOutOfPatience();
  log.end('second');
  await expect(hears('second')).resolves.toBeUndefined();
  reader.destroy();
});

it('an interrupted log does not look complete', async () => {
  const { log, reader, said } = await talkingKubelet();
  const closed = once(reader, 'close');
  log.destroy();
  await closed;
  expect(said()).not.toContain('0\r\n\r\n');
  expect(failures).toEqual([]);
});

it('disconnects from a kubelet when the client disconnects during a log', async () => {
  const { log, reader } = await talkingKubelet();
  const left = once(log, 'close');
  reader.destroy();
  await left;
  expect(failures).toEqual([]);
});

async function askForLog(kubelet: Server): Promise<TLSSocket> {
  const address = kubelet.address();
  const name = place(typeof address === 'object' && address !== null ? address.port : 0);
  const reader = await open(admin);
  reader.write(`GET /api/v1/namespaces/default/pods/${name}/log HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  return reader;
}

/** A Pod on a Node whose kubelet listens there. */
function place(port: number): string {
  const name = `p-${port}`;
  const post = (path: string, body: object): void => {
    const text = JSON.parse(JSON.stringify(body));
    const answer = server.handle({ identity, method: 'POST', path, query: {}, body: text });
    expect(answer).toMatchObject({ status: 201 });
  };
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const daemonEndpoints = { kubeletEndpoint: { Port: port } };
  post('/api/v1/nodes', { metadata: { name }, status: { addresses, daemonEndpoints } });
  const containers = [{ name: 'main', image: 'none' }];
  const spec = { nodeName: name, serviceAccountName: 'default', containers };
  post('/api/v1/namespaces/default/pods', { metadata: { name }, spec });
  return name;
}
