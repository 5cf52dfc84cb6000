/** The requests to dispatch over HTTP, their answers, and their failures. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { managerAudience } from '../../api/names/audiences.ts';
import { DispatchReports, DispatchSignals } from './dispatch-client.ts';

const tokenFor = (aud: unknown, jti: string): string =>
  `e30.${Buffer.from(JSON.stringify({ aud, jti })).toString('base64url')}.c2ln`;
const bearer = (jti: string): string => `Bearer ${tokenFor([managerAudience], jti)}`;

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly body: string;
}

interface Reply {
  readonly status: number;
  readonly text?: string;
  readonly location?: string;
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

class Harness {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly seen: Seen[] = [];
  readonly tokens = ['first', 'second', 'third'].map((name) => tokenFor([managerAudience], name));
  reply: Reply | 'silence' = { status: 204 };

  async open() {
    const server = createServer((request, response) => void this.#answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
    const { clock } = this;
    const readToken = () => Promise.resolve(`${this.tokens.shift() ?? ''}\n`);
    const options = { url, clock, readToken };
    return { signals: new DispatchSignals(options), reports: new DispatchReports(options), options };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.seen.push(await seenIn(request));
    if (this.reply === 'silence') return;
    const { status, text = '', location } = this.reply;
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(text);
  }
}

async function seenIn(request: IncomingMessage): Promise<Seen> {
  const pieces: Uint8Array[] = [];
  for await (const piece of request) if (piece instanceof Uint8Array) pieces.push(piece);
  const { method, url, headers } = request;
  return { method, url, token: headers.authorization, body: Buffer.concat(pieces).toString() };
}

const reported = { fleet: 'a', claimed: 1, queued: 2, p95_concurrent_last_hour: 3, occupied: 4, withheld: 5 };
const signals = { claimed: 1, queued: 2, p95: 3, occupied: 4, withheld: 5 };

describe('signals', () => {
  it('are requested by pool, with a freshly read token, and cached for four seconds', async () => {
    const harness = new Harness();
    harness.reply = { status: 200, text: JSON.stringify(reported) };
    const client = (await harness.open()).signals;
    expect(await client.signals('a b')).toEqual(signals);
    harness.clock.jump(3999);
    await client.signals('a b');
    expect(harness.seen).toEqual([
      {
        method: 'GET',
        url: '/api/internal/runners/desired_replicas?fleet=a+b',
        token: bearer('first'),
        body: '',
      },
    ]);
    harness.clock.jump(1);
    await client.signals('a b');
    await client.signals('c');
    expect(harness.seen.map(({ token }) => token)).toEqual([
      bearer('first'),
      bearer('second'),
      bearer('third'),
    ]);
  });

  it('of an older dispatch lack newer fields', async () => {
    const harness = new Harness();
    const { fleet, claimed, queued, p95_concurrent_last_hour } = reported;
    harness.reply = {
      status: 200,
      text: JSON.stringify({ fleet, claimed, queued, p95_concurrent_last_hour }),
    };
    const client = (await harness.open()).signals;
    expect(await client.signals('a')).toEqual({ ...signals, occupied: 0, withheld: 0 });
  });

  it.for<readonly [string, Reply, string]>([
    ['a refusal', { status: 401 }, 'Http401'],
    ['a failure', { status: 503 }, 'Http503'],
    ['a redirect', { status: 302, location: '/elsewhere' }, 'Http302'],
    ['no JSON', { status: 200, text: 'hello' }, 'UnreadableReply'],
    ['something else', { status: 200, text: '{"claimed":-1}' }, 'UnreadableReply'],
    ['far too much', { status: 200, text: ' '.repeat(70_000) }, 'UnreadableReply'],
  ])('%s is a failure that may pass', async ([, reply, reason]) => {
    const harness = new Harness();
    harness.reply = reply;
    const client = (await harness.open()).signals;
    await expect(client.signals('a')).rejects.toMatchObject({ kind: 'unavailable', reason });
    expect(harness.seen).toHaveLength(1);
  });

  it('that take longer than five seconds are abandoned', async () => {
    const harness = new Harness();
    harness.reply = 'silence';
    const asked = (await harness.open()).signals.signals('a');
    const outcome = asked.catch((error: unknown) => error);
    while (harness.seen.length === 0) await harness.clock.settle();
    await harness.clock.pass(5000);
    expect(await outcome).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('within 5 s'),
    });
  });

  it('are not requested without a token, and the message contains no secret', async () => {
    const harness = new Harness();
    const { options } = await harness.open();
    const readToken = () => Promise.reject(new Error('ENOENT'));
    await expect(new DispatchSignals({ ...options, readToken }).signals('a')).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'CredentialsMissing',
    });
    expect(harness.seen).toEqual([]);
  });
});

it.for([
  ['for the API server', tokenFor(['https://kubernetes.default.svc'], 'a')],
  ['for dispatch and the API server', tokenFor([managerAudience, 'https://kubernetes.default.svc'], 'a')],
  ['without an audience', tokenFor(undefined, 'a')],
  ['that is no token', 'junk'],
])('a token %s is not sent to dispatch', async ([, text = '']) => {
  const harness = new Harness();
  const { options } = await harness.open();
  const client = new DispatchSignals({ ...options, readToken: () => Promise.resolve(text) });
  await expect(client.signals('a')).rejects.toMatchObject({ kind: 'unavailable', reason: 'WrongAudience' });
  expect(harness.seen).toEqual([]);
});

describe('a report', () => {
  const report = { podName: 'p', podUid: 'u', endedAt: Date.UTC(2026, 0, 1) };

  it('contains all known facts about the end of a Pod', async () => {
    const harness = new Harness();
    const { reports } = await harness.open();
    await reports.stopped({ ...report, exitCode: 1, reason: 'Error', logTail: 'oh' });
    await reports.stopped(report);
    const plain = { pod_name: 'p', pod_uid: 'u', ended_at: '2026-01-01T00:00:00.000Z' };
    expect(harness.seen).toMatchObject([
      { method: 'POST', url: '/api/internal/runners/pods/stopped', token: bearer('first') },
      { token: bearer('second') },
    ]);
    expect(harness.seen.map(({ body }): unknown => JSON.parse(body))).toEqual([
      { ...plain, exit_code: 1, reason: 'Error', log_tail: 'oh' },
      plain,
    ]);
  });

  it.for([
    [400, 'rejected'],
    [401, 'unavailable'],
    [403, 'unavailable'],
    [503, 'unavailable'],
  ] as const)('that is answered with %d is %s', async ([status, kind]) => {
    const harness = new Harness();
    harness.reply = { status };
    await expect((await harness.open()).reports.stopped(report)).rejects.toMatchObject({ kind });
  });
});
