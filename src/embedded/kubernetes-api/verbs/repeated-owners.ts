/** Removes duplicate owner references, with a warning. */
import { isJsonList } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import type { Call } from './call.ts';

export function withoutRepeatedOwners(call: Pick<Call, 'warn'>, object: KubeObject): KubeObject {
  const { ownerReferences } = object.metadata;
  if (!isJsonList(ownerReferences)) return object;
  // The metadata is typed, so equal owners have the same order of fields.
  const kept = [...new Map(ownerReferences.map((owner) => [JSON.stringify(owner), owner])).values()];
  if (kept.length === ownerReferences.length) return object;
  call.warn('metadata.ownerReferences names an owner twice');
  return withMeta(object, { ownerReferences: kept });
}
