/**
 * The state of the server: objects by resource and key, one revision counter, and the log of events. Every write is
 * synchronous, so it is atomic without a lock. The store reads no clock and draws no numbers. A journal may persist the
 * state; a write is durable once a later `durable()` has resolved.
 *
 * Invariants: a write takes exactly one revision; stored objects are frozen; the log is in revision order; a write that
 * the journal rejects has no effect.
 */
import { deepFreeze } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import { EventLog, type StoreEvent } from './event-log.ts';
import type { Journal } from './journal.ts';
import { memoryJournal } from './memory-journal.ts';

/** `namespace/name`, or `/name` for cluster-scoped objects. */
export type Key = string;

export function keyOf(namespace: string, name: string): Key {
  return `${namespace}/${name}`;
}

export interface Snapshot {
  readonly revision: number;
  /** Sorted by key. */
  readonly items: readonly KubeObject[];
}

export type Listener = (event: StoreEvent) => void;

export interface StoreOptions {
  readonly historyMax: number;
  /** The first revision of a new store. */
  readonly firstRevision?: number;
  /** Without a journal the state ends with the process. */
  readonly journal?: Journal;
}

export class Store {
  readonly #objects = new Map<string, Map<Key, KubeObject>>();
  readonly #log: EventLog;
  readonly #listeners = new Set<Listener>();
  readonly #journal: Journal;
  #revision: number;

  constructor({ historyMax, firstRevision = 1, journal = memoryJournal }: StoreOptions) {
    this.#journal = journal;
    const kept = journal.load();
    for (const { resource, key, object } of kept.objects) this.#table(resource).set(key, object);
    this.#revision = Math.max(firstRevision, kept.revision);
    this.#log = new EventLog(historyMax, this.#revision);
  }

  get revision(): number {
    return this.#revision;
  }

  get(resource: string, key: Key): KubeObject | undefined {
    return this.#objects.get(resource)?.get(key);
  }

  /** Creates or updates the object, and returns the stored object. */
  put(resource: string, key: Key, object: KubeObject): KubeObject {
    const previous = this.get(resource, key);
    const type = previous === undefined ? 'ADDED' : 'MODIFIED';
    return this.#commit({ type, resource, key, object, previous });
  }

  /** Removes the object, and returns its last state under the revision of the deletion. */
  remove(resource: string, key: Key, lastState: KubeObject): KubeObject {
    const previous = this.get(resource, key);
    if (previous === undefined) throw new Error(`${resource} ${key} is removed but was never there`);
    return this.#commit({ type: 'DELETED', resource, key, object: lastState, previous });
  }

  /** Resolves when all writes are durable; rejects when a write may be lost, and then the process must stop. */
  durable(): Promise<void> {
    return this.#journal.durable();
  }

  /** All objects of a resource now, or at an earlier revision within the log. */
  list(resource: string, at: number = this.#revision): Snapshot | 'expired' {
    const then = this.#tableAt(resource, at);
    if (then === 'expired') return 'expired';
    const keys = [...then.keys()].toSorted(byCodeUnit);
    return { revision: at, items: keys.flatMap((key) => then.get(key) ?? []) };
  }

  /** A read-only store with the state of that many revisions ago, or of the oldest in the log. */
  past(revisions: number): Store {
    const revision = Math.max(this.#log.oldest, this.#revision - revisions);
    const objects = [...this.#objects.keys()].flatMap((resource) => {
      const then = this.#tableAt(resource, revision);
      return then === 'expired' ? [] : [...then].map(([key, object]) => ({ resource, key, object }));
    });
    return new Store({ historyMax: 1, journal: { ...memoryJournal, load: () => ({ revision, objects }) } });
  }

  #tableAt(resource: string, at: number): Map<Key, KubeObject> | 'expired' {
    const changes = this.#log.after(at);
    if (changes === 'expired') return 'expired';
    const then = new Map(this.#objects.get(resource) ?? []);
    for (const event of changes.toReversed()) {
      if (event.resource !== resource) continue;
      if (event.previous === undefined) then.delete(event.key);
      else then.set(event.key, event.previous);
    }
    return then;
  }

  /**
   * Sends every event of a resource, or of `all`, after `revision`, then each later event, until stopped. From the
   * start means: first the current objects as ADDED, in the order of their last change.
   */
  follow(resource: string, from: number | 'start', listener: Listener): (() => void) | 'expired' {
    const missed = from === 'start' ? this.#present() : this.#log.after(from);
    if (missed === 'expired') return 'expired';
    const ofResource: Listener = (event) => {
      if (resource === 'all' || event.resource === resource) listener(event);
    };
    for (const event of missed) ofResource(event);
    this.#listeners.add(ofResource);
    return () => void this.#listeners.delete(ofResource);
  }

  #present(): readonly StoreEvent[] {
    const present = [...this.#objects].flatMap(([resource, table]) =>
      [...table].map(([key, object]): StoreEvent => {
        const revision = Number(object.metadata['resourceVersion']);
        return { type: 'ADDED', revision, resource, key, object, previous: undefined };
      }),
    );
    return present.toSorted((a, b) => a.revision - b.revision);
  }

  #table(resource: string): Map<Key, KubeObject> {
    const known = this.#objects.get(resource);
    if (known !== undefined) return known;
    const fresh = new Map<Key, KubeObject>();
    this.#objects.set(resource, fresh);
    return fresh;
  }

  #commit(change: Omit<StoreEvent, 'revision'>): KubeObject {
    const revision = this.#revision + 1;
    const object = deepFreeze(withMeta(change.object, { resourceVersion: String(revision) }));
    const event = { ...change, object, revision };
    this.#journal.append(event);
    this.#revision = revision;
    if (event.type === 'DELETED') this.#table(event.resource).delete(event.key);
    else this.#table(event.resource).set(event.key, object);
    this.#log.append(event);
    for (const listener of this.#listeners) listener(event);
    return object;
  }
}

/** Not locale-aware, which would differ between machines and from the real server. */
function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
