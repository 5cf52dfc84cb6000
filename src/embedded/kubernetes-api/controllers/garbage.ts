/**
 * Deletes objects whose owners are gone, and applies the deletion policies of deleted owners. Ownership is by uid: a
 * recreated owner of the same name is another object.
 */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import {
  finalizersOf,
  isDeleting,
  isOutOfTime,
  namespaceOf,
  textAt,
  withMeta,
  type KubeObject,
} from '../kube-object.ts';
import { storageName, type Resource } from '../registry/resource.ts';
import type { StoreEvent } from '../store/event-log.ts';
import type { Key } from '../store/store.ts';
import type { Parts } from '../verbs/call.ts';
import { remove } from '../verbs/delete.ts';
import { callFor } from './call-for.ts';

const foreground = 'foregroundDeletion';
const orphan = 'orphan';
/** Bounds the search for ownership cycles in long chains. */
const circleMax = 1000;

interface Address {
  readonly resource: string;
  readonly key: Key;
}

export function runGarbage(parts: Parts, lagMs: number): () => void {
  return new Garbage(parts, lagMs).run();
}

class Garbage {
  readonly #parts: Parts;
  readonly #lagMs: number;
  readonly #byUid = new Map<string, Address>();
  /** Dependents by the uid of their owner. */
  readonly #dependents = new Map<string, Map<string, Address>>();

  /** The uids with changes since their last visit. */
  readonly #affected = new Set<string>();

  constructor(parts: Parts, lagMs: number) {
    this.#parts = parts;
    this.#lagMs = lagMs;
  }

  run(): () => void {
    const stop = this.#parts.store.follow('all', 'start', (event) => this.#note(event));
    return stop === 'expired' ? () => undefined : stop;
  }

  #note(event: StoreEvent): void {
    const { object, previous, resource, key, type } = event;
    const uid = textAt(object.metadata, 'uid') ?? '';
    if (previous !== undefined)
      for (const owner of ownersOf(previous)) this.#dependents.get(owner.uid)?.delete(uid);
    if (type === 'DELETED') this.#byUid.delete(uid);
    else this.#index(object, { resource, key });
    const owners = ownersOf(object).map((owner) => owner.uid);
    const affected = [
      uid,
      ...(type === 'DELETED' ? [...owners, ...(this.#dependents.get(uid)?.keys() ?? [])] : []),
    ];
    for (const one of affected) this.#visitLater(one);
  }

  /** Visits an owner once for all changes of its dependents at one moment. */
  #visitLater(uid: string): void {
    this.#affected.add(uid);
    this.#parts.clock.after(this.#lagMs, () => {
      if (this.#affected.delete(uid)) this.#visit(uid);
    });
  }

  #index(object: KubeObject, address: Address): void {
    const uid = textAt(object.metadata, 'uid') ?? '';
    this.#byUid.set(uid, address);
    for (const owner of ownersOf(object)) {
      const known = this.#dependents.get(owner.uid) ?? new Map<string, Address>();
      this.#dependents.set(owner.uid, known.set(uid, address));
    }
  }

  /** Acts on what is stored now, whatever it was that changed. */
  #visit(uid: string): void {
    const object = this.#find(uid);
    if (object === undefined) return;
    if (isDeleting(object) && finalizersOf(object).includes(orphan)) this.#letGo(object);
    else if (isWaiting(object)) this.#takeDependents(object);
    else if (!isDeleting(object)) this.#checkOwners(object);
  }

  #checkOwners(object: KubeObject): void {
    const owners = ownersOf(object);
    if (owners.length === 0) return;
    const standing = owners.map((owner) => ({ owner, state: this.#stateOf(owner) }));
    const alive = standing.filter(({ state }) => state === 'alive');
    const gone = standing.filter(({ state }) => state === 'gone');
    if (alive.length === 0 && gone.length === owners.length) this.#delete(object, 'Background');
    else if (alive.length === 0) this.#delete(object, 'Foreground');
    else if (alive.length < owners.length) {
      // A waiting owner does not wait for a dependent with another live owner.
      const others = standing.filter(({ state }) => state !== 'alive');
      this.#dropReferences(object, new Set(others.map(({ owner }) => owner.uid)));
    }
  }

  #stateOf(owner: Owner): 'alive' | 'gone' | 'waiting' {
    const found = this.#find(owner.uid);
    if (found === undefined) return 'gone';
    return isWaiting(found) ? 'waiting' : 'alive';
  }

  /** Orphans the dependents; then the owner may be deleted. */
  #letGo(owner: KubeObject): void {
    const uid = textAt(owner.metadata, 'uid') ?? '';
    for (const dependent of this.#dependentsOf(uid)) this.#dropReferences(dependent, new Set([uid]));
    this.#dropFinalizer(owner, orphan);
  }

  /** Only dependents with blockOwnerDeletion block their owner. */
  #takeDependents(owner: KubeObject): void {
    const uid = textAt(owner.metadata, 'uid') ?? '';
    for (const dependent of this.#dependentsOf(uid)) if (!isDeleting(dependent)) this.#checkOwners(dependent);
    for (const dependent of this.#blockersOf(uid))
      if (isWaiting(dependent) && this.#waitsFor(dependent, uid)) this.#unblock(dependent, uid);
    const blocked = this.#blockersOf(uid).length > 0;
    const current = this.#find(uid);
    if (!blocked && current !== undefined) this.#dropFinalizer(current, foreground);
  }

  /** The dependents that block the deletion of their owner. */
  #blockersOf(uid: string): readonly KubeObject[] {
    return this.#dependentsOf(uid).filter((dependent) =>
      ownersOf(dependent).some((one) => one.uid === uid && one.blocks),
    );
  }

  /** Whether an object waits transitively for this uid: such a cycle would never be deleted. */
  #waitsFor(object: KubeObject, uid: string): boolean {
    const open = [textAt(object.metadata, 'uid') ?? ''];
    const seen = new Set(open);
    for (let next = open.pop(); next !== undefined && seen.size <= circleMax; next = open.pop()) {
      if (next === uid) return true;
      for (const blocker of this.#blockersOf(next)) {
        const found = textAt(blocker.metadata, 'uid') ?? '';
        if (seen.has(found) || !isWaiting(blocker)) continue;
        seen.add(found);
        open.push(found);
      }
    }
    return false;
  }

  #unblock(dependent: KubeObject, owner: string): void {
    const list = dependent.metadata['ownerReferences'];
    const ownerReferences = (Array.isArray(list) ? list : []).map((one: Json) =>
      isJsonObject(one) && one['uid'] === owner ? { ...one, blockOwnerDeletion: false } : one,
    );
    this.#put(withMeta(dependent, { ownerReferences }));
  }

  #dependentsOf(uid: string): readonly KubeObject[] {
    return [...(this.#dependents.get(uid)?.keys() ?? [])].flatMap((dependent) => this.#find(dependent) ?? []);
  }

  #find(uid: string): KubeObject | undefined {
    const address = this.#byUid.get(uid);
    return address === undefined ? undefined : this.#parts.store.get(address.resource, address.key);
  }

  #delete(object: KubeObject, propagationPolicy: 'Background' | 'Foreground'): void {
    const resource = this.#resourceOf(object);
    if (resource === undefined) return;
    const hasDependents = this.#dependentsOf(textAt(object.metadata, 'uid') ?? '').length > 0;
    const policy = hasDependents ? propagationPolicy : 'Background';
    remove(callFor(this.#parts, resource, namespaceOf(object)), object, { propagationPolicy: policy });
  }

  #dropReferences(object: KubeObject, uids: ReadonlySet<string>): void {
    const list = object.metadata['ownerReferences'];
    const kept = (Array.isArray(list) ? list : []).filter(
      (one: Json) => !isJsonObject(one) || !uids.has(textAt(one, 'uid') ?? ''),
    );
    this.#put(withMeta(object, { ownerReferences: kept.length > 0 ? kept : undefined }));
  }

  #dropFinalizer(object: KubeObject, finalizer: string): void {
    const finalizers = finalizersOf(object).filter((one) => one !== finalizer);
    this.#put(withMeta(object, { finalizers: finalizers.length > 0 ? finalizers : undefined }));
  }

  /** The write deletes an object without remaining finalizers. */
  #put(object: KubeObject): void {
    const address = this.#byUid.get(textAt(object.metadata, 'uid') ?? '');
    const resource = this.#resourceOf(object);
    if (address === undefined || resource === undefined) return;
    const goes = isOutOfTime(object) && resource.holders(object).length === 0;
    if (goes) this.#parts.store.remove(address.resource, address.key, object);
    else this.#parts.store.put(address.resource, address.key, object);
  }

  #resourceOf(object: KubeObject): Resource | undefined {
    const address = this.#byUid.get(textAt(object.metadata, 'uid') ?? '');
    return this.#parts.registry.all().find((one) => storageName(one) === address?.resource);
  }
}

/** Whether the object waits for its dependents. */
function isWaiting(object: KubeObject): boolean {
  return isDeleting(object) && finalizersOf(object).includes(foreground);
}

interface Owner {
  readonly uid: string;
  readonly blocks: boolean;
}

function ownersOf(object: KubeObject): readonly Owner[] {
  const list = object.metadata['ownerReferences'];
  const references: readonly JsonObject[] = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return references.map((one) => ({
    uid: textAt(one, 'uid') ?? '',
    blocks: one['blockOwnerDeletion'] === true,
  }));
}
