/** Expiry and forgery of ServiceAccount tokens. The contract covers the behavior that a real server shows, too. */
import { beforeEach, describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import type { KubeObject } from '../kube-object.ts';
import { keyOf, Store } from '../store/store.ts';
import { AccountTokens, issuer } from './account-tokens.ts';
import { signToken } from './jwt.ts';

const secret = new TextEncoder().encode('ours');
const began = Date.UTC(2026, 0, 1);
const second = 1000;

let clock: VirtualClock;
let store: Store;
let tokens: AccountTokens;
let robot: KubeObject;

function put(kind: string, storage: string, metadata: Readonly<Record<string, string>> = {}): KubeObject {
  const named = { name: 'robot', namespace: 'ci', uid: `uid of ${kind}`, ...metadata };
  return store.put(storage, keyOf('ci', 'robot'), { apiVersion: 'v1', kind, metadata: named });
}

beforeEach(() => {
  clock = new VirtualClock(began);
  store = new Store({ historyMax: 10 });
  tokens = new AccountTokens({ store, clock, random: { next: () => 0.5 }, secret });
  robot = put('ServiceAccount', 'serviceaccounts');
});

function pass(seconds: number): void {
  clock.after(seconds * second, () => undefined);
  clock.runNext();
}

function issue(bound?: KubeObject): string {
  return tokens.issue({
    account: robot,
    audiences: [issuer],
    seconds: 600,
    ...(bound !== undefined && { bound: { kind: 'pod', object: bound } }),
  }).token;
}

describe('a token of a ServiceAccount', () => {
  it('is valid until it expires', () => {
    const token = issue();
    pass(599);
    expect(tokens.authenticate(token)?.identity.user).toBe('system:serviceaccount:ci:robot');
    pass(1);
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  it('is invalid before its issue time', () => {
    const token = issue();
    const earlier = { now: () => began - second, after: () => () => undefined };
    const before = new AccountTokens({ store, clock: earlier, random: { next: () => 0.5 }, secret });
    expect(before.authenticate(token)).toBeUndefined();
  });

  it('is invalid under another signing secret', () => {
    const token = issue();
    const others = new AccountTokens({
      store,
      clock,
      random: { next: () => 0.5 },
      secret: new Uint8Array(32),
    });
    expect(others.authenticate(token)).toBeUndefined();
  });

  it('rejects changed claims, signatures and algorithms', () => {
    const [head = '', body = '', sign = ''] = issue().split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const claims = Buffer.from(body, 'base64url').toString().replace('ci', 'xx');
    const forged = Buffer.from(claims).toString('base64url');
    const attempts = [
      `${head}.${forged}.${sign}`,
      `${head}.${body}.${sign.slice(1)}`,
      `${none}.${body}.`,
      `${none}.${body}.${sign}`,
      `${head}.${body}`,
      `${head}.${body}.${sign}.${sign}`,
      '',
      '..',
      'x'.repeat(1_000_000),
    ];
    expect(attempts.filter((token) => tokens.authenticate(token) !== undefined)).toEqual([]);
  });

  it('rejects claims of another shape, even with a valid signature', () => {
    const odd = [{}, { iss: issuer }, { iss: issuer, exp: 'never', aud: issuer }, { 'kubernetes.io': [] }];
    const good = odd.filter((claims) => tokens.authenticate(signToken(claims, secret)) !== undefined);
    expect(good).toEqual([]);
  });

  it('bound to a Pod is valid for a minute after the deletion started', () => {
    const token = issue(put('Pod', 'pods'));
    put('Pod', 'pods', { deletionTimestamp: new Date(began).toISOString() });
    pass(59);
    expect(tokens.authenticate(token)).toBeDefined();
    pass(1);
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  it('bound to a Pod is invalid for another Pod of the same name', () => {
    const token = issue(put('Pod', 'pods'));
    put('Pod', 'pods', { uid: 'of another' });
    expect(tokens.authenticate(token)).toBeUndefined();
  });

  it('in a Secret is valid as long as the Secret exists', () => {
    const kept = put('Secret', 'secrets');
    const token = tokens.issueForSecret(robot, kept);
    pass(10 * 365 * 24 * 60 * 60);
    expect(tokens.authenticate(token)).toBeDefined();
    store.remove('secrets', keyOf('ci', 'robot'), kept);
    expect(tokens.authenticate(token)).toBeUndefined();
  });
});
