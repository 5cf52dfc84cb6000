/** The token of an agent is renewed at half its life, and by nobody but a ServiceAccount. */
import { beforeEach, expect, it } from 'vitest';
import { EmbeddedTransport } from '../../lab/harness/embedded-transport.ts';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { ApiServer } from '../embedded/kubernetes-api/server.ts';
import { serviceAccounts } from '../kube/client/builtin-resources.ts';
import { KubeClient } from '../kube/client/client.ts';
import { fieldsOf } from '../kube/client/fields.ts';
import { RateLimit } from '../platform/rate-limit.ts';
import { Secret } from '../platform/secret.ts';
import { keepOwnToken } from './own-token.ts';

const day = 86_400_000;
const place = { namespace: 'default', name: 'tart-kubelet-mac-1' };
let clock: TestClock;
let client: KubeClient;
let transport: EmbeddedTransport;
let file: { text: Secret; writes: number };
let ends: AbortController;

beforeEach(async () => {
  clock = new TestClock(Date.UTC(2026, 0, 1));
  const random = new RandomStreams(1).stream('server');
  transport = new EmbeddedTransport(new ApiServer({ clock, random, tokenSecret: new Uint8Array(32) }));
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  client = new KubeClient({ transport, clock, limit, fieldManager: 'agent' });
  await client.create(serviceAccounts, { namespace: 'default' }, { metadata: { name: place.name } });
  const spec = { expirationSeconds: 30 * 86_400 };
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const answer = await client.review(serviceAccounts, body, { ...place, subresource: 'token' });
  file = { text: new Secret(String(fieldsOf(fieldsOf(answer)['status'])['token'])), writes: 0 };
  ends = new AbortController();
});

function keep(): Promise<void> {
  return keepOwnToken({
    client,
    clock,
    random: { next: () => 0.5 },
    stopped: ends.signal,
    log: () => undefined,
    file: {
      read: () => Promise.resolve(file.text),
      write: (text) => {
        file = { text, writes: file.writes + 1 };
        return Promise.resolve();
      },
    },
  });
}

it('renews the token at half its life, with the same length', async () => {
  const kept = keep();
  await clock.pass(14.9 * day);
  expect(file.writes).toBe(0);
  await clock.pass(0.2 * day);
  expect(file.writes).toBe(1);
  await clock.pass(14.8 * day);
  expect(file.writes).toBe(1);
  await clock.pass(0.4 * day);
  expect(file.writes).toBe(2);
  ends.abort();
  await kept;
});

it('asks again while the API server is away', async () => {
  transport.trouble = () => 'refused';
  const kept = keep();
  await clock.pass(16 * day);
  expect(file.writes).toBe(0);
  transport.trouble = () => undefined;
  await clock.pass(day / 24);
  expect(file.writes).toBe(1);
  ends.abort();
  await kept;
});

it.for(['not a token', 'a.bm90IGpzb24.c', 'a.e30.c'])(
  'does not touch a token of another form: %s',
  async (text) => {
    file = { text: new Secret(text), writes: 0 };
    const kept = keep();
    await clock.pass(60 * day);
    expect(file.writes).toBe(0);
    ends.abort();
    await kept;
  },
);
