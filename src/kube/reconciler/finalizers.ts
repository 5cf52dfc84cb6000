/**
 * Finalizers: added before the first external effect, removed only after clean-up was observed, each by a conditional
 * write.
 */
import type { KubeClient } from '../client/client.ts';
import type { KubeObject, Place, Resource } from '../client/kube-object.ts';

/** Returns the object with the finalizer; fails with a conflict after a concurrent write. */
export async function ensureFinalizer<T extends KubeObject>(
  client: KubeClient,
  { resource, object }: Held<T>,
  finalizer: string,
): Promise<T> {
  const had = object.metadata.finalizers ?? [];
  if (had.includes(finalizer)) return object;
  const { resourceVersion } = object.metadata;
  return client.patch(resource, placeOf(object), {
    merge: { metadata: { resourceVersion, finalizers: [...had, finalizer] } },
  });
}

/** Tests the entry that it removes, so that no other finalizer is removed. */
export async function dropFinalizer<T extends KubeObject>(
  client: KubeClient,
  { resource, object }: Held<T>,
  finalizer: string,
): Promise<void> {
  const index = (object.metadata.finalizers ?? []).indexOf(finalizer);
  if (index === -1) return;
  const path = `/metadata/finalizers/${index}`;
  await client.patch(resource, placeOf(object), {
    json: [
      { op: 'test', path: '/metadata/uid', value: object.metadata.uid },
      { op: 'test', path, value: finalizer },
      { op: 'remove', path },
    ],
  });
}

export interface Held<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly object: T;
}

function placeOf({ metadata }: KubeObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}
