/** Deletes the objects in a deleted namespace, and removes the namespace once it is empty. */
import { isDeleting, namespaceOf, withFields } from '../kube-object.ts';
import { specFinalizers } from '../registry/namespace.ts';
import { storageName } from '../registry/resource.ts';
import { keyOf } from '../store/store.ts';
import type { Parts } from '../verbs/call.ts';
import { remove } from '../verbs/delete.ts';
import { callFor } from './call-for.ts';

const held = 'kubernetes';

export function runNamespaces(parts: Parts, lagMs: number): () => void {
  const pending = new Set<string>();
  const stop = parts.store.follow('all', 'start', ({ resource, object, type }) => {
    const name = resource === 'namespaces' ? object.metadata.name : namespaceOf(object);
    // Of objects in a namespace only deletions matter.
    if (name === '' || (resource !== 'namespaces' && type !== 'DELETED')) return;
    // One visit for all deletions of a moment.
    pending.add(name);
    parts.clock.after(lagMs, () => {
      if (pending.delete(name)) reconcile(parts, name);
    });
  });
  return stop === 'expired' ? () => undefined : stop;
}

/** Acts on what is stored now, whatever it was that changed. */
function reconcile(parts: Parts, name: string): void {
  const namespace = parts.store.get('namespaces', keyOf('', name));
  if (namespace === undefined || !isDeleting(namespace) || !specFinalizers(namespace).includes(held)) return;
  if (emptied(parts, name) > 0) return;
  const finalizers = specFinalizers(namespace).filter((finalizer) => finalizer !== held);
  const next = withFields(namespace, { spec: { finalizers } });
  const resource = parts.registry.find('', 'v1', 'namespaces');
  if (resource?.holders(next).length === 0) parts.store.remove('namespaces', keyOf('', name), next);
  else parts.store.put('namespaces', keyOf('', name), next);
}

/** Deletes the objects in the namespace, and returns how many still have finalizers. */
function emptied(parts: Parts, namespace: string): number {
  const storages = new Map(
    parts.registry
      .all()
      .filter((one) => one.namespaced)
      .map((one) => [storageName(one), one]),
  );
  let left = 0;
  for (const [storage, resource] of storages) {
    const snapshot = parts.store.list(storage);
    if (snapshot === 'expired') throw new Error('the current state cannot have expired');
    const call = callFor(parts, resource, namespace);
    for (const object of snapshot.items.filter((one) => namespaceOf(one) === namespace)) {
      if (!remove(call, object, {}).gone) left += 1;
    }
  }
  return left;
}
