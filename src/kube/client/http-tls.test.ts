/** TLS of the client, with certificates made in the test. */
import { once } from 'node:events';
import { createServer as createPlain } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { TLSSocket } from 'node:tls';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, type Authority } from '../../embedded/kubernetes-api/http/certificates.ts';
import { anyRandom as random, wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { Secret } from '../../platform/secret.ts';
import type { Connection, Credentials } from './connection.ts';
import { fixed } from './credential-sources.ts';
import { HttpTransport } from './http-transport.ts';
import { TransportError, type KubeRequest } from './transport.ts';

const read: KubeRequest = { method: 'GET', path: '/api/v1/pods', query: {} };
const patient = new AbortController().signal;
const open: (() => Promise<unknown>)[] = [];

let ours: Authority;
let theirs: Authority;

beforeAll(async () => {
  ours = await createAuthority({ clock, random });
  theirs = await createAuthority({ clock, random });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Answers with the client certificate and the requested server name. */
async function serve(options: ServerOptions): Promise<string> {
  const server = createServer(options, ({ socket }, response) => {
    const secure = socket instanceof TLSSocket ? socket : undefined;
    const subject = secure?.getPeerCertificate().subject?.CN ?? 'no certificate';
    response.end(JSON.stringify({ subject, name: secure?.servername }));
  });
  return listen(server);
}

async function listen(server: ReturnType<typeof createServer | typeof createPlain>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

async function serverOf(authority: Authority, more: ServerOptions = {}): Promise<string> {
  const { certificate, key } = await authority.serving();
  return serve({ cert: certificate, key, ...more });
}

function transportTo(server: string, more: Partial<Connection> = {}): HttpTransport {
  const transport = new HttpTransport({
    connection: { server, credentials: fixed({ token: new Secret('secret') }), ...more },
    userAgent: 'muster/test',
    now: () => clock.now(),
  });
  open.push(() => transport.close());
  return transport;
}

async function failure(server: string, more: Partial<Connection> = {}): Promise<TransportError> {
  const error: unknown = await transportTo(server, more)
    .send(read, patient)
    .catch((caught: unknown) => caught);
  if (error instanceof TransportError) return error;
  throw new Error(`no failure: ${JSON.stringify(error)}`);
}

describe('over TLS', () => {
  it('accepts a server of the given authority', async () => {
    const { status } = await transportTo(await serverOf(ours), { authority: ours.certificate }).send(
      read,
      patient,
    );
    expect(status).toBe(200);
  });

  it.for([
    ['of another authority', () => ({ authority: ours.certificate })],
    ['of an unknown authority', () => ({})],
  ] as const)('sends nothing to a server %s', async ([, more]) => {
    const { certainty } = await failure(await serverOf(theirs), more());
    expect(certainty).toBe('unsent');
  });

  it('sends nothing to a server without the required name', async () => {
    const connection = { authority: ours.certificate, serverName: 'kube.internal' };
    const { certainty, message } = await failure(await serverOf(ours), connection);
    expect(certainty).toBe('unsent');
    expect(message).toContain('kube.internal');
  });

  it('accepts a required name that differs from the address', async () => {
    const connection = { authority: ours.certificate, serverName: 'localhost' };
    const { body } = await transportTo(await serverOf(ours), connection).send(read, patient);
    expect(body).toMatchObject({ name: 'localhost' });
  });

  it('accepts any certificate only on request', async () => {
    const { status } = await transportTo(await serverOf(theirs), { trustsAnybody: true }).send(read, patient);
    expect(status).toBe(200);
  });

  it('uses a new connection for a new certificate', async () => {
    const server = await serverOf(ours, { ca: ours.certificate, requestCert: true });
    const shown: Credentials[] = [];
    for (const user of ['first', 'second']) {
      const { certificate: pem, key } = await ours.client(user);
      shown.push({ certificate: { pem, key: new Secret(key) } });
    }
    let round = 0;
    const transport = transportTo(server, {
      authority: ours.certificate,
      credentials: { current: () => Promise.resolve(shown[round] ?? {}), refused: () => undefined },
    });
    const subjects: unknown[] = [];
    for (round of [0, 0, 1]) subjects.push((await transport.send(read, patient)).body);
    expect(subjects).toMatchObject([{ subject: 'first' }, { subject: 'first' }, { subject: 'second' }]);
  });

  it('reports a key that does not match the certificate', async () => {
    const server = await serverOf(ours, { ca: ours.certificate, requestCert: true });
    const [{ certificate: pem }, { key }] = [await ours.client('first'), await ours.client('second')];
    const credentials = fixed({ certificate: { pem, key: new Secret(key) } });
    const { certainty, message } = await failure(server, { authority: ours.certificate, credentials });
    expect([certainty, message]).toEqual(['unsent', 'the private key does not match the client certificate']);
  });

  it('reports a server with plain HTTP', async () => {
    const server = await listen(createPlain((_request, response) => response.end('{}')));
    const { certainty, message } = await failure(server);
    expect([certainty, message]).toEqual([
      'unsent',
      'the server does not use TLS: should the address begin with http://?',
    ]);
  });
});
