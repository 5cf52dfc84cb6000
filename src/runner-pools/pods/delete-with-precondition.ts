/**
 * Deletes Pods and accounts with a precondition on uid and resource
 * version, so that only the version that was read is deleted.
 */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, Place, Resource } from '../../kube/client/kube-object.ts';

/** Reads the object again; undefined if it is gone, or another object has its name. */
export async function sameNow<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  seen: T,
): Promise<T | undefined> {
  const { object } = await freshRead(client, resource, placeOf(seen));
  return object?.metadata.uid === seen.metadata.uid ? object : undefined;
}

/** Returns false if the object changed since the read: the Pod may be claimed by now. */
export async function deleteAsRead(
  client: KubeClient,
  resource: Resource,
  { metadata }: KubeObject,
): Promise<boolean> {
  const { uid, resourceVersion } = metadata;
  try {
    // mutation: delete-precondition
    await client.delete(resource, placeOf({ metadata }), { uid, resourceVersion });
    return true;
  } catch (error) {
    if (isFleetError(error, 'gone')) return true;
    if (isFleetError(error, 'conflict')) return false;
    throw error;
  }
}

export function placeOf({ metadata }: Pick<KubeObject, 'metadata'>): Place & { readonly namespace: string } {
  return { namespace: metadata.namespace ?? '', name: metadata.name };
}
