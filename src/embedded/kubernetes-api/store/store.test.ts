import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../kube-object.ts';
import type { StoreEvent } from './event-log.ts';
import { keyOf, Store } from './store.ts';

function object(name: string, value: number): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name }, value };
}

type Step = {
  readonly resource: 'a' | 'b';
  readonly name: string;
  readonly value: number;
  readonly remove: boolean;
};

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    resource: fc.constantFrom<'a' | 'b'>('a', 'b'),
    name: fc.constantFrom('x', 'y', 'z'),
    value: fc.nat(3),
    remove: fc.boolean(),
  }),
  { maxLength: 40 },
);

/** Applies the steps and records the state of resource `a` after each revision. */
function play(store: Store, plan: readonly Step[]): Map<number, readonly string[]> {
  const history = new Map([[store.revision, states(store)]]);
  for (const { resource, name, value, remove } of plan) {
    const key = keyOf('', name);
    const present = store.get(resource, key);
    if (!remove) store.put(resource, key, object(name, value));
    else if (present !== undefined) store.remove(resource, key, present);
    history.set(store.revision, states(store));
  }
  return history;
}

function states(store: Store, at?: number): readonly string[] {
  const snapshot = store.list('a', at);
  return snapshot === 'expired' ? ['expired'] : snapshot.items.map((item) => JSON.stringify(item));
}

describe('the store', () => {
  it('lists the earlier state at an earlier revision', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const store = new Store({ historyMax: 1000 });
        for (const [revision, then] of play(store, plan)) expect(states(store, revision)).toEqual(then);
      }),
    );
  });

  it('as a past store lists the earlier state with its revision', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        const store = new Store({ historyMax: 1000 });
        for (const [revision, then] of play(store, plan)) {
          const past = store.past(store.revision - revision);
          expect([past.revision, states(past)]).toEqual([revision, then]);
        }
      }),
    );
  });

  it('as a past store is limited to the history', () => {
    const store = new Store({ historyMax: 2 });
    for (const value of [1, 2, 3, 4, 5]) store.put('a', keyOf('', 'x'), object('x', value));
    const past = store.past(1000);
    expect(past.get('a', keyOf('', 'x'))).toMatchObject({ value: 2 });
    expect(store.list('a', past.revision - 1)).toBe('expired');
  });

  it('sends a follower from any revision each later event once, in order', () => {
    fc.assert(
      fc.property(steps, steps, fc.nat(), (before, after, pick) => {
        const store = new Store({ historyMax: 1000 });
        const all: StoreEvent[] = [];
        store.follow('a', store.revision, (event) => all.push(event));
        const revisions = [...play(store, before).keys()];
        const from = revisions[pick % revisions.length] ?? 1;
        const seen: StoreEvent[] = [];
        store.follow('a', from, (event) => seen.push(event));
        play(store, after);
        expect(seen).toEqual(all.filter((event) => event.revision > from));
      }),
    );
  });

  it('takes one revision per write, over all resources', () => {
    const store = new Store({ historyMax: 10 });
    const first = store.put('a', '/x', object('x', 1));
    const second = store.put('b', '/x', object('x', 1));
    const last = store.remove('a', '/x', first);
    expect([first, second, last].map((one) => one.metadata['resourceVersion'])).toEqual(['2', '3', '4']);
  });

  it('returns expired before the start of its history', () => {
    const store = new Store({ historyMax: 5 });
    for (let value = 0; value < 20; value += 1) store.put('a', '/x', object('x', value));
    expect(store.list('a', 2)).toBe('expired');
    expect(store.follow('a', 2, () => undefined)).toBe('expired');
    expect(states(store, store.revision - 5)).toEqual([expect.stringContaining('"value":14')]);
  });

  it('has frozen objects, so that a reader keeps its state', () => {
    const store = new Store({ historyMax: 5 });
    const nested = { ...object('x', 1), spec: { list: [{ deep: true }] } };
    const stored = store.put('a', '/x', nested);
    const read = store.get('a', '/x');
    store.put('a', '/x', object('x', 2));
    expect(read).toEqual(stored);
    expect(() => Object.assign(Object(nested.spec.list[0]), { deep: false })).toThrow(TypeError);
  });

  it('stops a follower on request', () => {
    const store = new Store({ historyMax: 5 });
    const seen: StoreEvent[] = [];
    const stop = store.follow('a', store.revision, (event) => seen.push(event));
    store.put('a', '/x', object('x', 1));
    if (stop !== 'expired') stop();
    store.put('a', '/x', object('x', 2));
    expect(seen.map((event) => event.object['value'])).toEqual([1]);
  });

  it('removing a missing object is an internal error', () => {
    const store = new Store({ historyMax: 5 });
    expect(() => store.remove('a', '/x', object('x', 1))).toThrow('never there');
  });
});
