/** Who is let in, which host is trusted, and what ends an attempt to connect. The server is in this process. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../../../lab/harness/ssh-connection-harness.ts';
import {
  ecdsaKey,
  publicOf,
  rsaKey,
  SshServer,
  until,
  type SshServerOptions,
} from '../../../../lab/harness/ssh-server.ts';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { Secret } from '../../../platform/secret.ts';
import { fingerprintOf, HostKeyCheck } from './host-key.ts';
import type { Fingerprint, SshConnection, SshTarget } from './port.ts';
import { ssh2Dialler } from './ssh2-dialler.ts';

const [userKey, otherKey, hostKey, rsaHostKey] = [ecdsaKey(), ecdsaKey(), ecdsaKey(), rsaKey()];
const user = new Secret(userKey);
const opened: { close: () => unknown }[] = [];
const clock = new TestClock(0);
let socketsOpened = 0;
const dialler = ssh2Dialler({
  clock,
  openSocket: (host, port) => {
    socketsOpened++;
    return connect({ host, port });
  },
});

afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

async function serve(options: Partial<SshServerOptions> = {}): Promise<SshServer> {
  const server = await SshServer.open({ hostKeys: [hostKey], users: [user], ...options });
  opened.push(server);
  return server;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(server);
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return address.port;
}

async function dial(port: number, more: Partial<SshTarget> = {}): Promise<SshConnection> {
  const target = { address: '127.0.0.1', port, user: 'm1', privateKey: user, deadlineMs: 15_000 };
  const connection = await dialler.dial({ ...target, expected: { kind: 'trust-first' }, ...more });
  opened.push(connection);
  return connection;
}

/** The lists of the client's first packet, which is not encrypted; nothing before the packet is complete. */
function offered(received: readonly Buffer[]): readonly string[] | undefined {
  const bytes = Buffer.concat(received);
  const start = bytes.indexOf('\r\n') + 2;
  if (start < 2 || bytes.length < start + 4 || bytes.length < start + 4 + bytes.readUInt32BE(start)) return;
  // The length of the packet and of its padding, the type of the message, and a cookie come first.
  let at = start + 4 + 1 + 1 + 16;
  return Array.from({ length: 8 }, () => {
    const end = at + 4 + bytes.readUInt32BE(at);
    const list = bytes.toString('latin1', at + 4, end);
    at = end;
    return list;
  });
}

const pinned = (key: string): Pick<SshTarget, 'expected'> => ({
  expected: { kind: 'pinned', fingerprint: fingerprintOf(publicOf(key)) },
});

describe('the key of the host', () => {
  it('is reported on first contact', async () => {
    const server = await serve();
    const connection = await dial(server.port);
    expect(connection.hostKey).toBe(fingerprintOf(publicOf(hostKey)));
  });

  it('is accepted where the same key is pinned', async () => {
    const server = await serve();
    const connection = await dial(server.port, pinned(hostKey));
    expect(connection.hostKey).toBe(fingerprintOf(publicOf(hostKey)));
  });

  it('is refused before any authentication where another key is pinned', async () => {
    const server = await serve();
    const error = await failureOf(dial(server.port, pinned(otherKey)));
    const [expected, seen] = [otherKey, hostKey].map((key) => fingerprintOf(publicOf(key)));
    expect(error.failure).toEqual({ kind: 'host-key-changed', expected, seen });
    expect([error.kind, error.reason]).toEqual(['rejected', 'HostKeyChanged']);
    await until(() => server.clients === 0);
    expect(server.seen.filter((one) => one.startsWith('authentication'))).toEqual([]);
  });

  it('may be pinned although the host has a key of a preferred type', async () => {
    const server = await serve({ hostKeys: [hostKey, rsaHostKey] });
    const connection = await dial(server.port, pinned(rsaHostKey));
    expect(connection.hostKey).toBe(fingerprintOf(publicOf(rsaHostKey)));
    expect(server.seen.slice(0, 3)).toEqual(['connection', 'end', 'connection']);
  });

  it('is refused where no key of the host is pinned, and the preferred key is reported', async () => {
    const server = await serve({ hostKeys: [hostKey, rsaHostKey] });
    const error = await failureOf(dial(server.port, pinned(otherKey)));
    expect(error.failure).toMatchObject({ seen: fingerprintOf(publicOf(hostKey)) });
    expect(server.seen.filter((one) => one.startsWith('authentication'))).toEqual([]);
  });

  it('may not change while the connection lasts', () => {
    const check = new HostKeyCheck({ kind: 'trust-first' });
    const [first, second] = [publicOf(hostKey), publicOf(otherKey)];
    expect(check.refusal(first)).toBeUndefined();
    expect(check.refusal(first)).toBeUndefined();
    expect(check.refusal(second)).toBe(fingerprintOf(first));
  });

  it('is compared by the fingerprint that OpenSSH shows', () => {
    const shown: Fingerprint = 'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU';
    expect(fingerprintOf(Buffer.alloc(0))).toBe(shown);
  });
});

describe('the key of the user', () => {
  it('is the only proof that is offered', async () => {
    const server = await serve();
    await dial(server.port);
    expect(new Set(server.seen)).toEqual(new Set(['connection', 'authentication publickey']));
  });

  it('may be refused by the host', async () => {
    const server = await serve();
    const error = await failureOf(dial(server.port, { privateKey: new Secret(otherKey) }));
    expect(error.failure).toEqual({ kind: 'key-refused', user: 'm1' });
    expect([error.kind, error.reason]).toEqual(['rejected', 'SSHKeyRefused']);
    await until(() => server.clients === 0);
  });

  it.each([
    ['is no key', 'canary-of-a-key'],
    ['is a public key', `ecdsa-sha2-nistp256 ${publicOf(userKey).toString('base64')}`],
  ])('that %s is not shown in the error', async (_, key) => {
    const server = await serve();
    const error = await failureOf(dial(server.port, { privateKey: new Secret(key) }));
    expect(error.failure).toEqual({ kind: 'key-unusable' });
    expect(error.reason).toBe('SSHKeyUnavailable');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(key.slice(-20));
    expect(server.seen).toEqual([]);
  });
});

describe('an attempt to connect', () => {
  it('fails where nothing listens', async () => {
    const server = createServer();
    const port = await listen(server);
    opened.pop();
    server.close();
    await once(server, 'close');
    const error = await failureOf(dial(port));
    expect(error.failure).toMatchObject({ kind: 'unreachable' });
    expect(error.message).toContain(`no SSH connection to 127.0.0.1:${port}: connect ECONNREFUSED`);
    expect([error.kind, error.reason]).toEqual(['unavailable', 'SSHUnreachable']);
  });

  it('offers these algorithms and no others', async () => {
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.on('data', (piece) => received.push(Buffer.from(piece)));
      socket.on('error', () => undefined).write('SSH-2.0-none\r\n');
    });
    const controller = new AbortController();
    const failed = failureOf(dial(await listen(server), { signal: controller.signal }));
    await until(() => offered(received) !== undefined);
    controller.abort();
    await failed;
    const ciphers = 'aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,aes256-ctr';
    const macs = 'hmac-sha2-256-etm@openssh.com,hmac-sha2-512-etm@openssh.com';
    expect(offered(received)).toEqual([
      'curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,ecdh-sha2-nistp521,ext-info-c,kex-strict-c-v00@openssh.com',
      'ssh-ed25519,ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521,rsa-sha2-512,rsa-sha2-256',
      ciphers,
      ciphers,
      macs,
      macs,
      'none',
      'none',
    ]);
  });

  it('fails where something else listens', async () => {
    const port = await listen(
      createServer((socket) => socket.on('error', () => undefined).end('220 mail\r\n')),
    );
    expect((await failureOf(dial(port))).failure.kind).toBe('unreachable');
  });

  it.each([
    { kex: ['diffie-hellman-group14-sha1'] as const },
    { cipher: ['aes128-cbc'] as const },
    { hmac: ['hmac-sha1'] as const, cipher: ['aes256-ctr'] as const },
  ])('fails where the host offers only %j', async (weak) => {
    const algorithms = Object.fromEntries(Object.entries(weak).map(([name, list]) => [name, [...list]]));
    const server = await serve({ hostKeys: [hostKey, rsaHostKey], algorithms });
    const error = await failureOf(dial(server.port));
    expect(error.message).toContain('no matching');
    expect(error.failure.kind).toBe('unreachable');
  });

  it('fails where the host hangs up', async () => {
    const port = await listen(
      createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-busy\r\n')),
    );
    const why = 'the host closed it during the SSH handshake';
    expect((await failureOf(dial(port))).failure).toEqual({ kind: 'unreachable', why });
  });

  it('ends at its deadline where the host says nothing', async () => {
    const silent = createServer((socket) => void accepted.push(socket.resume()));
    const accepted: { readonly destroyed: boolean }[] = [];
    const failed = failureOf(dial(await listen(silent)));
    await until(() => accepted.length === 1);
    await clock.pass(14_999);
    expect(accepted[0]?.destroyed).toBe(false);
    await clock.pass(1);
    expect((await failed).failure).toEqual({
      kind: 'timed-out',
      during: 'the SSH handshake',
      limitMs: 15_000,
    });
    expect((await failed).reason).toBe('SSHTimeout');
    await until(() => accepted[0]?.destroyed === true);
    expect(clock.pending).toBe(0);
  });

  it('has one deadline, although the host is asked for several keys', async () => {
    const silent = createServer((socket) => void accepted.push(socket.resume()));
    const accepted: { readonly destroyed: boolean }[] = [];
    const ports = [(await serve()).port, await listen(silent)];
    const openSocket = (host: string): Socket => {
      if (ports.length === 2) clock.jump(10_000);
      return connect({ host, port: ports.shift() ?? 0 });
    };
    const target = { address: '127.0.0.1', user: 'm1', privateKey: user, deadlineMs: 15_000 };
    const failed = failureOf(ssh2Dialler({ clock, openSocket }).dial({ ...target, ...pinned(otherKey) }));
    await until(() => accepted.length === 1);
    await clock.pass(5_000);
    expect((await failed).reason).toBe('SSHTimeout');
  });

  it('ends when its work is canceled', async () => {
    const silent = createServer((socket) => void accepted.push(socket.resume()));
    const accepted: { readonly destroyed: boolean }[] = [];
    const controller = new AbortController();
    const failed = failureOf(dial(await listen(silent), { signal: controller.signal }));
    await until(() => accepted.length === 1);
    controller.abort();
    expect((await failed).failure).toMatchObject({ kind: 'connection-lost', isCanceled: true });
    await until(() => accepted[0]?.destroyed === true);
  });

  it('is not made once its work is canceled', async () => {
    const server = await serve();
    const before = socketsOpened;
    const error = await failureOf(dial(server.port, { signal: AbortSignal.abort() }));
    expect(error.failure).toMatchObject({ kind: 'connection-lost', isCanceled: true });
    expect(socketsOpened).toBe(before);
  });
});
