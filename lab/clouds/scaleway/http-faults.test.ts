import { afterEach, beforeEach, expect, it } from 'vitest';
import { asControl as headers, controlToken } from '../../harness/control-token.ts';
import { TestClock } from '../../harness/test-clock.ts';
import { RandomStreams } from '../../simulator/engine/random-streams.ts';
import { Cloud } from './cloud.ts';
import { serveCloud, type HttpFace } from './http-server.ts';

const zone = 'fr-par-1';
const secretKey = 'secret';

let face: HttpFace;
let clock: TestClock;
let cloud: Cloud;

beforeEach(async () => {
  clock = new TestClock(Date.UTC(2026, 0, 1));
  const streams = new RandomStreams(1);
  const ports = { clock, random: (name: string) => streams.stream(name) };
  cloud = new Cloud({ zones: [zone], hosts: 1, project: 'p' }, ports);
  const onFailure = (error: unknown): never => {
    throw error;
  };
  face = await serveCloud({ cloud, clock, secretKey, host: '127.0.0.1', port: 0, onFailure, controlToken });
});
afterEach(() => face.close());

function rename(name: string): Promise<Response> {
  const [mac] = cloud.macs;
  return fetch(`${face.url}/apple-silicon/v1alpha1/zones/${zone}/servers/${mac?.id}`, {
    method: 'PATCH',
    headers: { 'x-auth-token': secretKey },
    body: JSON.stringify({ name }),
  });
}

async function order(fault: object): Promise<void> {
  const on = 'update server';
  const body = JSON.stringify({ on, fault });
  await fetch(`${face.url}/control/fault`, { method: 'POST', headers, body });
}

/** Resolves when the request has arrived, and waits for time to pass. */
async function arrival(): Promise<void> {
  while (clock.nextAt() === undefined) await clock.settle();
}

const named = (): string | undefined => cloud.macs[0]?.name;

it('refused: the connection breaks, and there is no effect', async () => {
  await order({ kind: 'refused' });
  await expect(rename('a')).rejects.toThrow('fetch failed');
  expect(named()).not.toBe('a');
});

it('error: answered as ordered, once, without an effect', async () => {
  await order({ kind: 'error', status: 429, body: 'slow down', headers: { 'retry-after': '7' } });
  const answer = await rename('a');
  expect([answer.status, await answer.text(), answer.headers.get('retry-after'), named()]).toEqual([
    429,
    'slow down',
    '7',
    expect.not.stringMatching(/^a$/),
  ]);
  expect([(await rename('a')).status, named()]).toEqual([200, 'a']);
});

it('reply-lost: done, and the connection breaks', async () => {
  await order({ kind: 'reply-lost' });
  await expect(rename('a')).rejects.toThrow('fetch failed');
  expect(named()).toBe('a');
});

it('late: done only after the time', async () => {
  await order({ kind: 'late', ms: 5000 });
  const answer = rename('a');
  await arrival();
  expect(named()).not.toBe('a');
  await clock.pass(5000);
  expect([(await answer).status, named()]).toEqual([200, 'a']);
});

it('slow-reply: done at once, answered after the time', async () => {
  await order({ kind: 'slow-reply', ms: 5000 });
  const answer = rename('a');
  await arrival();
  expect(named()).toBe('a');
  await clock.pass(5000);
  expect((await answer).status).toBe(200);
});

it('duplicate: done once more after the time, and overwrites changes in between', async () => {
  await order({ kind: 'duplicate', ms: 5000 });
  await rename('a');
  await rename('b');
  expect(named()).toBe('b');
  await clock.pass(5000);
  expect(named()).toBe('a');
});

it.for([
  ['GET', '/nowhere', 404],
  ['PUT', `/apple-silicon/v1alpha1/zones/${zone}/servers`, 404],
  ['PATCH', `/apple-silicon/v1alpha1/zones/${zone}/servers/x`, 400],
] as const)('%s %s is answered with %i', async ([method, path, status]) => {
  const body = method === 'PATCH' ? '{"name": 5}' : undefined;
  const answer = await fetch(`${face.url}${path}`, {
    method,
    headers: { 'x-auth-token': secretKey },
    ...(body !== undefined && { body }),
  });
  expect(answer.status).toBe(status);
});

it('a body that is not JSON is answered with 400', async () => {
  const answer = await fetch(`${face.url}/control/act`, { method: 'POST', headers, body: '{' });
  expect(answer.status).toBe(400);
});
