/** Whom a client believes, and what it shows: over TLS, with certificates made here. */
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

/** Answers with who it was asked by, and for which name. */
async function serve(options: ServerOptions): Promise<string> {
  const server = createServer(options, ({ socket }, response) => {
    const secure = socket instanceof TLSSocket ? socket : undefined;
    const subject = secure?.getPeerCertificate().subject?.CN ?? 'nobody';
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
  throw new Error(`it did not fail: ${JSON.stringify(error)}`);
}

describe('over TLS', () => {
  it('a server of the authority that was given is believed', async () => {
    const { status } = await transportTo(await serverOf(ours), { authority: ours.certificate }).send(
      read,
      patient,
    );
    expect(status).toBe(200);
  });

  it.for([
    ['of another authority', () => ({ authority: ours.certificate })],
    ['of an authority nobody named', () => ({})],
  ] as const)('a server %s gets nothing to see', async ([, more]) => {
    const { certainty } = await failure(await serverOf(theirs), more());
    expect(certainty).toBe('unsent');
  });

  it('a server without the name that it must have gets nothing to see', async () => {
    const connection = { authority: ours.certificate, serverName: 'kube.internal' };
    const { certainty, message } = await failure(await serverOf(ours), connection);
    expect(certainty).toBe('unsent');
    expect(message).toContain('kube.internal');
  });

  it('the name that it must have may be another one than in the address', async () => {
    const connection = { authority: ours.certificate, serverName: 'localhost' };
    const { body } = await transportTo(await serverOf(ours), connection).send(read, patient);
    expect(body).toMatchObject({ name: 'localhost' });
  });

  it('anybody is believed only on demand', async () => {
    const { status } = await transportTo(await serverOf(theirs), { trustsAnybody: true }).send(read, patient);
    expect(status).toBe(200);
  });

  it('a new certificate is shown over a new connection', async () => {
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

  it('a key that is not that of the certificate is told as one', async () => {
    const server = await serverOf(ours, { ca: ours.certificate, requestCert: true });
    const [{ certificate: pem }, { key }] = [await ours.client('first'), await ours.client('second')];
    const credentials = fixed({ certificate: { pem, key: new Secret(key) } });
    const { certainty, message } = await failure(server, { authority: ours.certificate, credentials });
    expect([certainty, message]).toEqual([
      'unsent',
      'the private key that is shown does not belong to the client certificate',
    ]);
  });

  it('a server that speaks plain HTTP is told as one', async () => {
    const server = await listen(createPlain((_request, response) => response.end('{}')));
    const { certainty, message } = await failure(server);
    expect([certainty, message]).toEqual([
      'unsent',
      'the server does not speak TLS: is it http:// and not https://?',
    ]);
  });
});
