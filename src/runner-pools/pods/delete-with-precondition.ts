/** How Pods and accounts are removed: what is deleted is the very object that was decided about, in the version that was read. */
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject, Place, Resource } from '../../kube/client/kube-object.ts';

/** The same object as it is now; undefined where it is gone, or another one has its name. */
export async function sameNow<T extends KubeObject>(
  client: KubeClient,
  resource: Resource<T>,
  seen: T,
): Promise<T | undefined> {
  const { object } = await freshRead(client, resource, placeOf(seen));
  return object?.metadata.uid === seen.metadata.uid ? object : undefined;
}

/** False when somebody wrote since it was read: it may be claimed by now. */
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
