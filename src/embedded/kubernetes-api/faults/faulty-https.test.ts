/**
 * The faults that look different on a real connection: over HTTP/1.1 and HTTP/2, a broken connection does not look like
 * a regular end.
 */
import { ownIdentity as identity } from '../auth/identity.ts';
import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { anyRandom as random, wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { createAuthority, type Authority, type KeyPair } from '../http/certificates.ts';
import { serveHttps } from '../http/https-server.ts';
import { ApiServer } from '../server.ts';
import { configMaps } from '../../../../lab/contracts/kubernetes-api/faults/harness.ts';
import { FaultPlan } from './fault-plan.ts';
import { FaultyServer } from './faulty-server.ts';
import { parsePlan } from './plan-file.ts';

type Protocol = 'HTTP/1.1' | 'HTTP/2';
const protocols: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2'];

interface Heard {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

interface Sending {
  readonly body?: string;
  /** Collects the received data, also before a broken connection. */
  readonly heard?: string[];
}

/** Rejects when the connection breaks before the end of the answer. */
type Send = (method: 'GET' | 'POST', path: string, more?: Sending) => Promise<Heard>;

async function textOf(stream: Readable, heard: string[] = []): Promise<string> {
  for await (const chunk of stream) heard.push(String(chunk));
  return heard.join('');
}

let authority: Authority;
let admin: KeyPair;
const open: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await createAuthority({ clock, random });
  admin = await authority.client('admin', ['system:masters']);
});
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function serve(
  protocol: Protocol,
  ...faults: readonly object[]
): Promise<{ send: Send; server: ApiServer }> {
  const server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) });
  const plan = parsePlan(JSON.stringify({ rules: faults.map((fault) => ({ when: { nth: 1 }, fault })) }));
  const face = await serveHttps({
    clock,
    server: new FaultyServer({
      server,
      clock,
      faults: new FaultPlan(plan, { clock, random, report: () => undefined }),
    }),
    serving: await authority.serving(),
    clientAuthority: authority.certificate,
    host: '127.0.0.1',
    port: 0,
    onFailure: (error) => {
      throw error;
    },
  });
  open.push(() => face.close());
  const papers = { ca: authority.certificate, cert: admin.certificate, key: admin.key };
  if (protocol === 'HTTP/1.1') return { server, send: overHttp1(new Agent({ connect: papers }), face.url) };
  return { server, send: overHttp2(connect(face.url, papers)) };
}

function overHttp1(agent: Agent, origin: string): Send {
  open.push(() => agent.destroy());
  return async (method, path, { body = '', heard } = {}) => {
    const answer = await agent.request({ origin, path, method, ...(method === 'POST' && { body }) });
    const retryAfter = answer.headers['retry-after'];
    return {
      status: answer.statusCode,
      retryAfter: retryAfter === undefined ? undefined : String(retryAfter),
      body: await textOf(answer.body, heard),
    };
  };
}

function overHttp2(session: ClientHttp2Session): Send {
  open.push(async () => {
    session.destroy();
    return Promise.resolve();
  });
  return async (method, path, { body = '', heard } = {}) => {
    const stream = session.request({ ':method': method, ':path': path });
    if (method === 'POST') stream.end(body);
    const [headers] = await once(stream, 'response');
    const { ':status': status, 'retry-after': retryAfter } = Object(headers);
    return { status, retryAfter, body: await textOf(stream, heard) };
  };
}

/** The error texts of the two clients for a broken connection. */
const broken = /other side closed|NGHTTP2_INTERNAL_ERROR/;
const body = JSON.stringify({ metadata: { name: 'a' } });

function isThere(server: ApiServer): boolean {
  const answer = server.handle({ identity, method: 'GET', path: `${configMaps}/a`, query: {} });
  return 'status' in answer && answer.status === 200;
}

it.for(protocols)('%s, reply-lost: the connection breaks, and the object is there', async (protocol) => {
  const { send, server } = await serve(protocol, { kind: 'reply-lost' });
  await expect(send('POST', configMaps, { body })).rejects.toThrow(broken);
  expect(isThere(server)).toBe(true);
});

it.for(protocols)('%s, reset: the connection breaks, and nothing is there', async (protocol) => {
  const { send, server } = await serve(protocol, { kind: 'reset' });
  await expect(send('POST', configMaps, { body })).rejects.toThrow(broken);
  expect(isThere(server)).toBe(false);
});

it.for(protocols)('%s: after a break the next request is served', async (protocol) => {
  const { send } = await serve(protocol, { kind: 'reset' });
  await expect(send('GET', configMaps)).rejects.toThrow(broken);
  expect(await send('GET', configMaps)).toMatchObject({ status: 200 });
});

it.for(protocols)('%s, throttled: the head says when to come back', async (protocol) => {
  const { send } = await serve(protocol, { kind: 'error', reason: 'TooManyRequests', retryAfterSeconds: 2 });
  expect(await send('GET', configMaps)).toMatchObject({ status: 429, retryAfter: '2' });
});

it.for(protocols)(
  '%s, watch-drop: the events before it came, and the watch breaks instead of ending',
  async (protocol) => {
    const { send } = await serve(protocol, { kind: 'watch-drop', afterEvents: 1 });
    expect(await send('POST', configMaps, { body })).toMatchObject({ status: 201 });
    const heard: string[] = [];
    await expect(send('GET', `${configMaps}?watch=true`, { heard })).rejects.toThrow(broken);
    expect(JSON.parse(heard.join(''))).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'a' } } });
  },
);

it.for(protocols)('%s, watch-expire: the watch says so and ends', async (protocol) => {
  const { send } = await serve(protocol, { kind: 'watch-expire', afterEvents: 0 });
  const heard = await send('GET', `${configMaps}?watch=true`);
  expect(JSON.parse(heard.body)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
});
