/**
 * The actions of the controllers of the stand-in, as data, and their execution: every write checks the state that it
 * was planned from.
 */
import { isDeepStrictEqual } from 'node:util';
import { dropFinalizer, ensureFinalizer } from '../../../src/kube/reconciler/finalizers.ts';
import { freshRead } from '../../../src/kube/reconciler/fresh-read.ts';
import type { ActionResult, Report } from '../../../src/kube/reconciler/plan.ts';
import { pods } from '../../../src/kube/client/builtin-resources.ts';
import type { KubeClient } from '../../../src/kube/client/client.ts';
import {
  apiVersionOf,
  type KubeObject,
  type OwnerReference,
  type Place,
  type Resource,
} from '../../../src/kube/client/kube-object.ts';

export interface Target {
  readonly resource: Resource;
  readonly object: KubeObject;
}

export type Step =
  | {
      readonly kind: 'add-finalizer' | 'remove-finalizer';
      readonly target: Target;
      readonly finalizer: string;
    }
  | Creation
  /** A merge patch with the observed revision. */
  | { readonly kind: 'change'; readonly target: Target; readonly merge: Merge }
  | { readonly kind: 'delete'; readonly target: Target }
  | { readonly kind: 'evict'; readonly target: Target };

interface Creation {
  readonly kind: 'create';
  readonly resource: Resource;
  /** The object is created in the owner's namespace, and only while the owner stays. */
  readonly owner: Target;
  readonly body: object;
}

interface Merge {
  readonly metadata?: object;
  readonly spec?: object;
}

export async function confirmAndApply(client: KubeClient, step: Step): Promise<ActionResult> {
  switch (step.kind) {
    case 'add-finalizer':
      await ensureFinalizer(client, step.target, step.finalizer);
      return 'requested';
    case 'remove-finalizer':
      await dropFinalizer(client, step.target, step.finalizer);
      return 'requested';
    case 'create':
      return create(client, step);
    case 'change':
      await change(client, step.target, step.merge);
      return 'requested';
    case 'delete':
      await remove(client, step.target);
      return 'requested';
    case 'evict':
      await evict(client, step.target.object);
      return 'requested';
  }
}

/** After a write to the object itself the observed object is outdated; its change event triggers another reconcile. */
export function hasTouched(object: KubeObject, { results }: Report<Step>): boolean {
  return results.some(({ action }) => 'target' in action && action.target.object === object);
}

/** Writes a status if it changed. */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  client: KubeClient,
  { resource, object }: { readonly resource: Resource<T>; readonly object: T },
  status: NonNullable<T['status']>,
): Promise<void> {
  if (isDeepStrictEqual(status, object.status)) return;
  const { resourceVersion } = object.metadata;
  const place = { ...placeOf(object), subresource: 'status' };
  await client.patch(resource, place, { merge: { metadata: { resourceVersion }, status } });
}

export function placeOf({ metadata }: KubeObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}

export function ownerReference({ resource, object }: Target): OwnerReference {
  const { name, uid } = object.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid };
}

export function controllerReference(target: Target): OwnerReference {
  return { ...ownerReference(target), controller: true, blockOwnerDeletion: true };
}

export function isOwnedBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid) === true;
}

export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isHeld({ metadata }: KubeObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

async function create(client: KubeClient, { resource, owner, body }: Creation): Promise<ActionResult> {
  const { uid, namespace = '' } = owner.object.metadata;
  const { object } = await freshRead(client, owner.resource, placeOf(owner.object));
  if (object?.metadata.uid !== uid || isDeleting(object)) return 'precondition-lost';
  await client.create(resource, { namespace }, body);
  return 'requested';
}

async function change(client: KubeClient, { resource, object }: Target, merge: Merge): Promise<void> {
  const { resourceVersion } = object.metadata;
  const metadata = { ...merge.metadata, resourceVersion };
  await client.patch(resource, placeOf(object), { merge: { ...merge, metadata } });
}

async function remove(client: KubeClient, { resource, object }: Target): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  await client.delete(resource, placeOf(object), { uid, resourceVersion });
}

async function evict(client: KubeClient, { metadata }: KubeObject): Promise<void> {
  const { name, namespace = '', uid } = metadata;
  const deleteOptions = { preconditions: { uid } };
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
  await client.request(pods, { name, namespace, subresource: 'eviction' }, body);
}
