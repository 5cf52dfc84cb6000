import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { anyRandom, wallClock } from '../../../../lab/harness/wall-clock.ts';
import { createAuthority } from '../../../embedded/kubernetes-api/http/certificates.ts';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { badAnswers } from '../../../../lab/contracts/provider/scaleway/bad-answers.ts';
import { badRefusals } from '../../../../lab/contracts/provider/scaleway/bad-refusals.ts';
import type { BadReply, Call, WireReply } from '../../../../lab/contracts/provider/scaleway/bad-reply.ts';
import { Secret } from '../../../platform/secret.ts';
import type { Provider } from '../port.ts';
import { ScalewayProvider } from './scaleway-provider.ts';
import { SdkTransport } from './sdk-transport.ts';

const badReplies = [...badAnswers, ...badRefusals];
const now = Date.UTC(2026, 0, 1);
const secretKey = '12345678-1234-4234-8234-123456789abc';
const projectId = '11111111-2222-4333-8444-555555555555';
const address = { zone: 'fr-par-1', id: 'aaaaaaaa-0000-4000-8000-000000000001' };

const calls: Readonly<Record<Call, (provider: Provider) => Promise<unknown>>> = {
  list: (provider) => provider.listServers(address.zone),
  get: (provider) => provider.getServer(address),
  rename: (provider) => provider.rename(address, 'x'),
  reinstall: (provider) => provider.reinstall(address, 'os'),
  reboot: (provider) => provider.reboot(address),
  delete: (provider) => provider.delete(address),
  schedule: (provider) => provider.scheduleDeletion(address),
  listOs: (provider) => provider.listOs(address.zone, 'M2-L'),
  listKeys: (provider) => provider.sshKeys.list(),
  registerKey: (provider) => provider.sshKeys.register({ name: 'x', publicKey: 'ssh-ed25519 AAAA' }),
};

type Answering = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that gives the configured answer and records the requests. */
class Rogue {
  readonly asked: string[] = [];
  answering: Answering = () => undefined;
  readonly #server: Server = createServer((request, response) => {
    this.asked.push(`${request.method} ${request.url} ${String(request.headers['x-auth-token'])}`);
    this.answering(request, response);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => void this.#server.listen(0, '127.0.0.1', resolve));
    const place = this.#server.address();
    return `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`;
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => void this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }
}

function withMessage(replies: readonly WireReply[]): Answering {
  const left = [...replies];
  return (_, response) => {
    const { status = 200, headers = {}, body } = (left.length > 1 ? left.shift() : left[0]) ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
  };
}

function providerAt(apiUrl: string, more: { deadline?: TestClock; bytesMax?: number } = {}): Provider {
  const credentials = {
    accessKey: 'SCWXXXXXXXXXXXXXXXXX',
    secretKey: new Secret(secretKey),
    projectId,
    apiUrl,
  };
  const { deadline: clock = wallClock, bytesMax = 100_000 } = more;
  return new ScalewayProvider({
    transport: new SdkTransport({ credentials, clock, userAgent: 'muster/test', bytesMax }),
    clock: { now: () => now },
    limit: { round: async () => undefined },
    projectId,
    pageSize: 3,
  });
}

const rogue = { current: new Rogue(), url: '' };
beforeEach(async () => {
  rogue.current = new Rogue();
  rogue.url = await rogue.current.listen();
});
afterEach(() => rogue.current.close());

async function endOf(call: Promise<unknown>): Promise<unknown> {
  const [end] = await Promise.allSettled([call]);
  return end.status === 'fulfilled' ? end.value : end.reason;
}

/** The result of a call, in a form that a case can be compared with. */
function reported(end: unknown): Pick<BadReply, 'fails' | 'retryInMs' | 'gives'> | object {
  if (!isFleetError(end)) return { gives: end };
  const retryInMs = end.retryAt === undefined ? {} : { retryInMs: end.retryAt - now };
  return { fails: [end.kind, end.reason], ...retryInMs };
}

describe('an answer', () => {
  it.for(badReplies.map((one) => [one.call, one.says, one] as const))('to %s: %s', async ([, , bad]) => {
    const { call, replies, says: _, ...wanted } = bad;
    rogue.current.answering = withMessage(replies);
    const end = await endOf(calls[call](providerAt(rogue.url)));
    expect(reported(end)).toMatchObject(wanted);
    expect(Object.keys(reported(end)).toSorted()).toEqual(Object.keys(wanted).toSorted());
    expect(inspect(end, { depth: 9 })).not.toMatch(/hush|12345678-1234/);
  });

  it('comes in at least forty bad shapes', () => {
    expect(badReplies.length).toBeGreaterThanOrEqual(40);
  });
});

describe('passwords', () => {
  it.for([
    ['as returned', { sudo_password: 'open' }, 'open'],
    [
      'as returned, whatever the screen URL contains',
      { sudo_password: 'open', vnc_url: 'vnc://m1:other@h:5900' },
      'open',
    ],
    [
      'of the screen URL, when the field is sealed',
      { sudo_password: '<sealed>', vnc_url: 'vnc://m1:p%40ss@h:5900' },
      'p@ss',
    ],
    [
      'of the screen URL, when the field is empty',
      { sudo_password: '', vnc_url: 'vnc://m1:pass@h:5900' },
      'pass',
    ],
    [
      'none, when both are sealed',
      { sudo_password: '<sealed>', vnc_url: 'vnc://m1:%3Csealed%3E@h:5900' },
      undefined,
    ],
    [
      'none, when the screen URL has only a user',
      { sudo_password: '<sealed>', vnc_url: 'vnc://m1@h:5900' },
      undefined,
    ],
    ['none, when the screen URL is invalid', { sudo_password: '<sealed>', vnc_url: 'not a url' }, undefined],
    [
      'none, when it cannot be decoded',
      { sudo_password: '<sealed>', vnc_url: 'vnc://m1:%ZZ@h:5900' },
      undefined,
    ],
    ['none, when both fields are missing', {}, undefined],
  ] as const)('%s', async ([, fields, password]) => {
    rogue.current.answering = withMessage([{ body: { id: address.id, ...fields } }]);
    const server = await providerAt(rogue.url).getServer(address);
    expect(server.sudoPassword?.reveal()).toBe(password);
  });
});

describe('a connection', () => {
  const unknown = ['unavailable', 'OutcomeUnknown'];

  it('that is reset leaves a write unknown, and a read only unanswered', async () => {
    rogue.current.answering = (_, response) => response.destroy();
    const provider = providerAt(rogue.url);
    expect(reported(await endOf(provider.rename(address, 'x')))).toEqual({ fails: unknown });
    expect(reported(await endOf(provider.getServer(address)))).toEqual({
      fails: ['unavailable', 'ProviderUnavailable'],
    });
  });

  it('that breaks in the middle of an answer leaves a write unknown', async () => {
    rogue.current.answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"id":');
      setImmediate(() => response.destroy());
    };
    expect(reported(await endOf(providerAt(rogue.url).reinstall(address)))).toEqual({ fails: unknown });
  });

  it('without an answer ends at the deadline, and leaves a write unknown', async () => {
    const deadline = new TestClock(now);
    const arrived = Promise.withResolvers<void>();
    rogue.current.answering = () => arrived.resolve();
    const end = endOf(providerAt(rogue.url, { deadline }).delete(address));
    await arrived.promise;
    await deadline.pass(30_000);
    expect(reported(await end)).toEqual({ fails: unknown });
  });

  it('that stops after the head of an answer also ends at the deadline', async () => {
    const deadline = new TestClock(now);
    const arrived = Promise.withResolvers<void>();
    rogue.current.answering = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{', () => arrived.resolve());
    };
    const end = endOf(providerAt(rogue.url, { deadline }).getServer(address));
    await arrived.promise;
    await deadline.pass(30_000);
    expect(reported(await end)).toEqual({ fails: ['unavailable', 'ProviderUnavailable'] });
  });

  it('that is refused means that no request was sent', async () => {
    await rogue.current.close();
    const end = await endOf(providerAt(rogue.url).delete(address));
    expect(reported(end)).toEqual({ fails: ['unavailable', 'Unreachable'] });
    rogue.url = await (rogue.current = new Rogue()).listen();
  });

  it('to a server without a valid certificate means that no request was sent', async () => {
    const authority = await createAuthority({ clock: wallClock, random: anyRandom });
    const pair = await authority.serving();
    const asked: unknown[] = [];
    const server = createTlsServer({ cert: pair.certificate, key: pair.key }, (request) =>
      asked.push(request),
    );
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const place = server.address();
    const url = `https://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`;
    const end = await endOf(providerAt(url).delete(address));
    server.close();
    expect([reported(end), asked]).toEqual([{ fails: ['unavailable', 'Unreachable'] }, []]);
  });

  it('to a server without HTTP leaves a write unknown', async () => {
    const server = createTcpServer((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const place = server.address();
    const url = `http://127.0.0.1:${typeof place === 'object' ? place?.port : 0}`;
    const end = await endOf(providerAt(url).reboot(address));
    server.close();
    expect(reported(end)).toEqual({ fails: unknown });
  });

  it('with too large an answer is cut off', async () => {
    rogue.current.answering = withMessage([{ body: { id: address.id, name: 'x'.repeat(5000) } }]);
    const end = await endOf(providerAt(rogue.url, { bytesMax: 1000 }).getServer(address));
    expect(reported(end)).toEqual({ fails: ['unavailable', 'UnreadableReply'] });
  });
});

describe('credentials', () => {
  it.for([301, 302, 303, 307, 308])('do not follow a redirect with %i to another place', async (status) => {
    const elsewhere = new Rogue();
    elsewhere.answering = withMessage([{ body: { servers: [], total_count: 0 } }]);
    const location = `${await elsewhere.listen()}/apple-silicon`;
    rogue.current.answering = withMessage([{ status, headers: { location } }]);
    const ends = [
      await endOf(providerAt(rogue.url).listServers(address.zone)),
      await endOf(providerAt(rogue.url).reinstall(address)),
    ];
    await elsewhere.close();
    expect(elsewhere.asked).toEqual([]);
    expect(ends.map(reported)).toEqual([
      { fails: ['unavailable', 'RedirectRefused'] },
      { fails: ['unavailable', 'RedirectRefused'] },
    ]);
  });

  it('are sent with each request, and the listing of keys names the project', async () => {
    rogue.current.answering = withMessage([{ body: { ssh_keys: [], total_count: 0 } }]);
    await providerAt(rogue.url).sshKeys.list();
    expect(rogue.current.asked).toEqual([
      expect.stringMatching(`^GET /iam/v1alpha1/ssh-keys\\?.*project_id=${projectId} ${secretKey}$`),
    ]);
  });

  it('that are echoed in an answer appear in no failure', async () => {
    const message = `you said ${secretKey}`;
    rogue.current.answering = withMessage([{ status: 400, body: { message } }]);
    const end = await endOf(providerAt(rogue.url).getServer(address));
    expect(inspect(end)).toContain('you said [redacted]');
    expect(inspect(end, { depth: 9 })).not.toContain(secretKey);
  });
});
