/** Clients that say half of what they began, ask for what cannot be read, or leave before they are answered. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anyRandom as random, wallClock as clock } from '../../../test/wall-clock.ts';
import { ownIdentity as identity } from '../auth/identity.ts';
import { ApiServer } from '../server.ts';
import { createAuthority, type Authority, type KeyPair } from './certificates.ts';
import { serveHttps, type HttpsServer } from './https-server.ts';

const failures: unknown[] = [];
/** What the face waits for runs when a test says that the time has come. */
const patience: (() => void)[] = [];
const wait = (_ms: number, then: () => void): (() => void) => {
  patience.push(then);
  return () => undefined;
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
  face = await serveHttps({
    clock: { now: () => clock.now(), after: wait },
    server,
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => failures.push(error),
  });
});
afterAll(() => face.close());

async function open(pair: KeyPair): Promise<TLSSocket> {
  const socket = connect({
    port: Number(new URL(face.url).port),
    host: '127.0.0.1',
    ca: authority.certificate,
    cert: pair.certificate,
    key: pair.key,
    ALPNProtocols: ['http/1.1'],
  });
  await once(socket, 'secureConnect');
  return socket;
}

/** The first line of the answer to these lines. */
async function answerTo(pair: KeyPair, ...lines: readonly string[]): Promise<string> {
  const socket = await open(pair);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  const [first] = await once(socket, 'data');
  socket.destroy();
  return String(first).split('\r\n')[0] ?? '';
}

it.for(['//', 'http://[', '*', '/api/v1/namespaces//pods'])(
  'a path such as %s is refused, and is no failure of ours',
  async (path) => {
    expect(await answerTo(admin, `GET ${path} HTTP/1.1`, 'host: localhost')).toMatch(/ 40[0-9] /);
    expect(failures).toEqual([]);
  },
);

it('who may not ask is told so before having sent a body', async () => {
  const head = ['POST /api/v1/namespaces HTTP/1.1', 'host: localhost', 'content-length: 1000000'];
  expect(await answerTo(nobody, ...head)).toContain(' 403 ');
});

it('an upload that breaks off is no failure of ours', async () => {
  const socket = await open(admin);
  socket.write('POST /api/v1/namespaces HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{"kind"');
  socket.destroy();
  await once(socket, 'close');
  expect(await answerTo(admin, 'GET /version HTTP/1.1', 'host: localhost')).toContain(' 200 ');
  expect(failures).toEqual([]);
});

/** A kubelet that accepts a connection and says nothing, and a reader who asks it for a log. */
async function silentKubelet(): Promise<{ readonly asked: Socket; readonly reader: TLSSocket }> {
  const arrived = Promise.withResolvers<Socket>();
  const kubelet = createServer((socket) => {
    socket.on('error', () => undefined);
    arrived.resolve(socket);
    kubelet.close();
  });
  kubelet.listen(0, '127.0.0.1');
  await once(kubelet, 'listening');
  const address = kubelet.address();
  const name = place(typeof address === 'object' && address !== null ? address.port : 0);
  const reader = await open(admin);
  reader.write(`GET /api/v1/namespaces/default/pods/${name}/log HTTP/1.1\r\nhost: localhost\r\n\r\n`);
  const asked = await arrived.promise;
  asked.resume();
  return { asked, reader };
}

it('a kubelet that says nothing is left when its reader leaves', async () => {
  const { asked, reader } = await silentKubelet();
  const left = once(asked, 'close');
  reader.destroy();
  await expect(left).resolves.toBeDefined();
});

it('a kubelet that says nothing is given up on, and the reader told', async () => {
  const { asked, reader } = await silentKubelet();
  const left = once(asked, 'close');
  const told = once(reader, 'data');
  for (const then of patience.splice(0)) then();
  await left;
  expect(String((await told)[0])).toContain(' 500 ');
  reader.destroy();
});

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
