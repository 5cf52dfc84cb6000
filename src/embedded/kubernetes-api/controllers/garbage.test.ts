/** Ownership cycles, on which a foreground deletion would wait forever. */
import { expect, it, vi } from 'vitest';
import { ownIdentity } from '../auth/identity.ts';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import type { JsonObject } from '../json.ts';
import type { ApiRequest } from '../request.ts';
import { ApiServer } from '../server.ts';
import { Store } from '../store/store.ts';

const folder = '/api/v1/namespaces/default/configmaps';
const inForeground = { propagationPolicy: 'Foreground' };

interface Made {
  readonly name: string;
  readonly uid: string;
}

class Circles {
  readonly #clock = new VirtualClock(0);
  readonly #server: ApiServer;

  constructor() {
    let last = 1;
    const random = { next: () => (last = (last * 48_271) % 2_147_483_647) / 2_147_483_647 };
    this.#server = new ApiServer({ clock: this.#clock, random, tokenSecret: new Uint8Array(32) });
    this.#clock.runDue();
  }

  /** Without letting the controllers run. */
  ask(method: ApiRequest['method'], path: string, body?: ApiRequest['body']): JsonObject {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = this.#server.handle({ identity: ownIdentity, method, path, query: {}, body, contentType });
    if (!('body' in answer)) throw new Error('an answer has a body');
    return answer.body;
  }

  settle(): void {
    this.#clock.runDue();
  }

  make(name: string): Made {
    const { uid } = Object(this.ask('POST', folder, { metadata: { name } })['metadata']);
    return { name, uid: String(uid) };
  }

  own(dependent: string, ...owners: readonly Made[]): void {
    const ownerReferences = owners.map((owner) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...owner,
      blockOwnerDeletion: true,
    }));
    this.ask('PATCH', `${folder}/${dependent}`, { metadata: { ownerReferences } });
  }

  get left(): number {
    const { items } = this.ask('GET', folder);
    return Array.isArray(items) ? items.length : -1;
  }
}

it('deletes an object that owns itself', () => {
  const circles = new Circles();
  circles.own('a', circles.make('a'));
  circles.ask('DELETE', `${folder}/a`, inForeground);
  circles.settle();
  expect(circles.left).toBe(0);
});

it('deletes two objects that own each other when both are deleted at once', () => {
  const circles = new Circles();
  const [a, b] = [circles.make('a'), circles.make('b')];
  circles.own('a', b);
  circles.own('b', a);
  for (const name of ['a', 'b']) circles.ask('DELETE', `${folder}/${name}`, inForeground);
  circles.settle();
  expect(circles.left).toBe(0);
});

it('does not wait for a cycle that is not being deleted', () => {
  const circles = new Circles();
  const [a, b, c] = [circles.make('a'), circles.make('b'), circles.make('c')];
  circles.own('a', b, c);
  circles.own('b', a);
  circles.own('c', a, b);
  circles.ask('DELETE', `${folder}/b`, inForeground);
  circles.settle();
  expect(circles.left).toBe(2);
});

it('deletes a chain without a cycle from its end', () => {
  const circles = new Circles();
  const [a, b] = [circles.make('a'), circles.make('b')];
  circles.make('c');
  circles.own('b', a);
  circles.own('c', b);
  circles.ask('PATCH', `${folder}/c`, { metadata: { finalizers: ['example.com/hold'] } });
  circles.ask('DELETE', `${folder}/a`, inForeground);
  circles.settle();
  expect(circles.left).toBe(3);
  circles.ask('PATCH', `${folder}/c`, { metadata: { finalizers: null } });
  circles.settle();
  expect(circles.left).toBe(0);
});

it('deletes a namespace with a cycle in it', () => {
  const circles = new Circles();
  const [a, b] = [circles.make('a'), circles.make('b')];
  circles.own('a', b);
  circles.own('b', a);
  circles.ask('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
  const inside = '/api/v1/namespaces/n/configmaps';
  const first = circles.ask('POST', inside, { metadata: { name: 'x' } });
  const { uid } = Object(first['metadata']);
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid, blockOwnerDeletion: true };
  circles.ask('PATCH', `${inside}/x`, { metadata: { ownerReferences: [owner] } });
  circles.ask('DELETE', `${inside}/x`, inForeground);
  circles.ask('DELETE', '/api/v1/namespaces/n');
  circles.settle();
  expect(circles.ask('GET', '/api/v1/namespaces/n')).toMatchObject({ code: 404 });
});

const held = { metadata: { finalizers: ['example.com/hold'] } };
const released = { metadata: { finalizers: null } };

/**
 * Counts the reads of the store when half of the dependents of an owner are deleted at once and the others still block.
 */
function readsWhenHalfGoes(dependents: number): number {
  const circles = new Circles();
  const owner = circles.make('owner');
  const names = Array.from({ length: dependents }, (_, index) => `d${index}`);
  for (const name of names) {
    circles.make(name);
    circles.own(name, owner);
    circles.ask('PATCH', `${folder}/${name}`, held);
  }
  circles.ask('DELETE', `${folder}/owner`, inForeground);
  circles.settle();
  for (const name of names.slice(dependents / 2)) circles.ask('PATCH', `${folder}/${name}`, released);
  const reads = vi.spyOn(Store.prototype, 'get');
  circles.settle();
  const count = reads.mock.calls.length;
  reads.mockRestore();
  expect(circles.left).toBe(1 + dependents / 2);
  return count;
}

it('visits an owner once for all dependents that are deleted at one moment', () => {
  expect(readsWhenHalfGoes(400)).toBeLessThan(6 * readsWhenHalfGoes(100));
});
