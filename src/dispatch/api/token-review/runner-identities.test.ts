/** What an attacker with made-up tokens can do to runners with valid tokens, and what that costs the API server. */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { KubeClient } from '../../../kube/client/client.ts';
import { fieldsOf } from '../../../kube/client/fields.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '../../../kube/client/transport.ts';
import { RateLimit } from '../../../platform/rate-limit.ts';
import { keysPath } from './published-keys.ts';
import { runnerAudience, RunnerIdentities } from './runner-identities.ts';

const namespace = 'runners';
const [rsa, ec, other] = [
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
  generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  generateKeyPairSync('rsa', { modulusLength: 2048 }),
];
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function claimsOf(name: string): object {
  const own = { namespace, pod: { name, uid: `uid-${name}` }, serviceaccount: { name, uid: `sa-${name}` } };
  return { aud: [runnerAudience], exp: 4_000_000_000, 'kubernetes.io': own };
}

interface Signing {
  readonly alg?: string;
  readonly kid?: string;
  readonly key?: KeyObject;
}

function token(name: string, { alg = 'RS256', kid = 'rsa', key = rsa.privateKey }: Signing = {}): string {
  const text = `${base64({ alg, kid })}.${base64(claimsOf(name))}`;
  return `${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
}

/** A token signed with the public key as an HMAC secret, which everybody knows. */
function hmacToken(name: string): string {
  const text = `${base64({ alg: 'HS256', kid: 'rsa' })}.${base64(claimsOf(name))}`;
  const secret = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** An API server that is slow at reviews, and counts requests. */
class Api implements KubeTransport {
  readonly clock = new TestClock(Date.UTC(2026, 0, 1));
  readonly asked = new Map<string, number>();
  readonly pods = new Set<string>();
  readonly reviewed: string[] = [];
  published: readonly string[] | undefined = ['rsa', 'ec'];
  readonly identities: RunnerIdentities;

  constructor() {
    const limit = new RateLimit(this.clock, { perSecond: 1e9, burst: 1e9 });
    const client = new KubeClient({ transport: this, clock: this.clock, limit, fieldManager: 'test' });
    this.identities = new RunnerIdentities({ client, clock: this.clock, namespace });
  }

  async send({ method, path, body }: KubeRequest): Promise<KubeResponse> {
    const last = path.split('/').at(-1) ?? '';
    const what =
      path === keysPath
        ? 'keys'
        : method === 'POST'
          ? 'reviews'
          : path.includes('/pods')
            ? 'pods'
            : 'accounts';
    this.asked.set(what, (this.asked.get(what) ?? 0) + 1);
    await new Promise<void>((resolve) => void this.clock.after(50, resolve));
    if (what === 'keys') return this.#keys();
    if (what === 'pods') return { status: 200, body: this.#podList() };
    if (what === 'reviews')
      return { status: 201, body: this.#review(String(fieldsOf(fieldsOf(body)['spec'])['token'])) };
    const metadata = {
      name: last,
      namespace,
      uid: `sa-${last}`,
      resourceVersion: '1',
      labels: { 'tuist.dev/runner-pool': 'linux' },
    };
    return { status: 200, body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata } };
  }

  stream(): Promise<never> {
    return Promise.reject(new Error('nothing is watched'));
  }

  reconnect(): void {
    throw new Error('nothing is watched');
  }

  #keys(): KubeResponse {
    if (this.published === undefined) return { status: 404, body: { kind: 'Status', reason: 'NotFound' } };
    const all = [
      { ...rsa.publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'rsa', use: 'sig' },
      { ...ec.publicKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'ec', use: 'sig' },
      { ...other.publicKey.export({ format: 'jwk' }), alg: 'RS256', kid: 'new', use: 'sig' },
    ];
    return {
      status: 200,
      body: JSON.stringify({ keys: all.filter(({ kid }) => this.published?.includes(kid)) }),
    };
  }

  #podList(): object {
    const items = [...this.pods].map((name) => ({
      metadata: { name, namespace, uid: `uid-${name}`, resourceVersion: '1' },
    }));
    return { apiVersion: 'v1', kind: 'PodList', metadata: { resourceVersion: '1' }, items };
  }

  /** Tokens of existing Pods are valid, unless they were made up. */
  #review(shown: string): object {
    this.reviewed.push(shown);
    const { name } = fieldsOf(
      fieldsOf(
        fieldsOf(JSON.parse(Buffer.from(shown.split('.')[1] ?? '', 'base64url').toString()))['kubernetes.io'],
      )['pod'],
    );
    if (madeUp.has(shown) || !this.pods.has(String(name))) return { status: { authenticated: false } };
    const extra = {
      'authentication.kubernetes.io/pod-name': [String(name)],
      'authentication.kubernetes.io/pod-uid': [`uid-${String(name)}`],
    };
    const user = { username: `system:serviceaccount:${namespace}:${String(name)}`, extra };
    return { status: { authenticated: true, audiences: [runnerAudience], user } };
  }
}

const madeUp = new Set<string>();
function bad(made: string): string {
  madeUp.add(made);
  return made;
}

/** Each token names another Pod, with the name of a real key and an invalid signature. */
const junk = (index: number): string =>
  bad(`${base64({ alg: 'RS256', kid: 'rsa' })}.${base64(claimsOf(`made-up-${index}`))}.${'A'.repeat(342)}`);

/** Ignores the outcome of a made-up token. */
function showInVain(answer: Promise<unknown>): void {
  void Promise.allSettled([answer]);
}

const goodMax = 40;
const badMax = 2500;

/** Each second this many made-up tokens arrive, all before the valid tokens of that second. */
async function flood(
  api: Api,
  seconds: number,
): Promise<{ readonly identified: number; readonly reviewsOfBad: number }> {
  const names = Array.from({ length: goodMax }, (_, index) => `linux-runner-${index}`);
  for (const name of names) api.pods.add(name);
  const identified = new Set<string>();
  for (let second = 0; second < seconds; second += 1) {
    for (let index = 0; index < badMax; index += 1)
      showInVain(api.identities.runner(junk(second * badMax + index)));
    const some = names.slice((second * goodMax) / seconds, ((second + 1) * goodMax) / seconds);
    for (const name of some)
      void api.identities.runner(token(name)).then(
        (identity) => void (identity?.pod.name === name && identified.add(name)),
        () => undefined,
      );
    await api.clock.pass(1000);
  }
  await api.clock.pass(5000);
  const reviewsOfBad = api.reviewed.filter((shown) => madeUp.has(shown)).length;
  return { identified: identified.size, reviewsOfBad };
}

describe('while 2500 made-up tokens come each second', () => {
  it('all of 40 real runners are identified, and no made-up token is reviewed', async () => {
    const api = new Api();
    expect(await flood(api, 4)).toEqual({ identified: goodMax, reviewsOfBad: 0 });
    expect(Object.fromEntries(api.asked)).toEqual({ keys: 1, reviews: goodMax, accounts: goodMax });
  });

  it('all of 40 real runners are identified although the keys cannot be read, and few made-up tokens are reviewed', async () => {
    const api = new Api();
    api.published = undefined;
    const { identified, reviewsOfBad } = await flood(api, 4);
    expect(identified).toBe(goodMax);
    expect(reviewsOfBad).toBeLessThanOrEqual(4 * 50);
    expect(api.asked.get('pods')).toBeLessThanOrEqual(5);
    expect(api.asked.get('keys')).toBe(1);
  });
});

describe('a token', () => {
  const name = 'linux-runner-1';
  const identified = { pool: 'linux', pod: { name, uid: `uid-${name}` } };

  function apiWith(published?: readonly string[]): Api {
    const api = new Api();
    api.pods.add(name);
    if (published !== undefined) api.published = published;
    return api;
  }

  async function shown(api: Api, text: string): Promise<unknown> {
    const asked = api.identities.runner(text).catch((error: unknown) => error);
    await api.clock.settle();
    await api.clock.pass(3000);
    return asked;
  }

  it.for([
    ['RSA', token(name)],
    ['an elliptic curve', token(name, { alg: 'ES256', kid: 'ec', key: ec.privateKey })],
  ])('that is signed with a published key of %s is asked about', async ([, text = '']) => {
    const api = apiWith();
    expect(await shown(api, text)).toEqual(identified);
    expect(api.reviewed).toEqual([text]);
  });

  it.for([
    ['with a foreign signature', token(name, { key: other.privateKey })],
    ['that names no algorithm', token(name, { alg: 'none' })],
    ['that names the algorithm of another key', token(name, { alg: 'ES256', key: ec.privateKey })],
    ['that is signed with the public key as a secret', hmacToken(name)],
    ['whose claims were changed', token('other').replace(/\.[^.]*\./, `.${base64(claimsOf(name))}.`)],
    ['without a signature', token(name).replace(/[^.]*$/, '')],
    ['of two parts', token(name).replace(/\.[^.]*$/, '')],
    ['whose header is no JSON', token(name).replace(/^[^.]*/, 'bm8')],
    [
      'of another namespace',
      token(name).replace(/\.[^.]*\./, `.${base64({ ...claimsOf(name), 'kubernetes.io': {} })}.`),
    ],
  ])('%s is refused without a review', async ([, text = '']) => {
    const api = apiWith();
    expect(await shown(api, text)).toBeUndefined();
    expect(api.reviewed).toEqual([]);
  });

  it('of a key that is published later is valid then, and answered 503 until then', async () => {
    const api = apiWith(['rsa']);
    const text = token(name, { kid: 'new', key: other.privateKey });
    expect(await shown(api, token(name))).toEqual(identified);
    for (let time = 0; time < 3; time += 1)
      expect(await shown(api, text)).toMatchObject({ kind: 'unavailable', reason: 'UnknownSigningKey' });
    expect(api.asked.get('keys')).toBe(1);
    api.published = ['rsa', 'new'];
    await api.clock.pass(10_000);
    expect(await shown(api, text)).toEqual(identified);
    expect(api.asked.get('keys')).toBe(2);
  });

  it('is checked with the last known keys while they cannot be read again', async () => {
    const api = apiWith();
    await shown(api, token(name));
    api.published = undefined;
    await api.clock.pass(700_000);
    expect(await shown(api, token(name))).toEqual(identified);
    expect(await shown(api, token(name, { key: other.privateKey }))).toBeUndefined();
    expect([api.asked.get('keys'), api.reviewed.length]).toEqual([2, 2]);
  });

  it('is reviewed while the keys cannot be read, which are read again after a minute', async () => {
    const api = apiWith();
    api.published = undefined;
    expect(await shown(api, token(name))).toEqual(identified);
    await shown(api, token('unknown'));
    expect(api.asked.get('keys')).toBe(1);
    await api.clock.pass(60_000);
    await shown(api, token('unknown'));
    expect(api.asked.get('keys')).toBe(2);
  });

  it('made up many times by the job in one Pod delays no other Pod', async () => {
    const api = apiWith();
    api.published = undefined;
    api.pods.add('neighbour');
    for (let index = 0; index < badMax; index += 1) {
      const made = bad(`${base64({ alg: 'RS256', kid: String(index) })}.${base64(claimsOf(name))}.AA`);
      showInVain(api.identities.runner(made));
    }
    expect(await shown(api, token('neighbour'))).toMatchObject({ pod: { name: 'neighbour' } });
    expect(api.reviewed.filter((one) => madeUp.has(one)).length).toBeLessThanOrEqual(4);
  });

  it('of a runner is refused by the manager API without a review', async () => {
    const api = apiWith();
    const asked = api.identities.caller(token(name));
    await api.clock.settle();
    await api.clock.pass(3000);
    expect(api.reviewed).toEqual([]);
    expect(await asked).toBeUndefined();
  });

  it('of a runner does not wait behind tokens sent to the manager API', async () => {
    const api = apiWith();
    api.published = undefined;
    for (let index = 0; index < badMax; index += 1) showInVain(api.identities.caller(junk(index)));
    expect(await shown(api, token(name))).toEqual(identified);
  });
});
