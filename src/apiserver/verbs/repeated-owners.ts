/** An owner that is named twice is kept once, and whoever sent it is told. */
import { isJsonEqual, isJsonList, type Json } from '../json.ts';
import { withMeta, type KubeObject } from '../kube-object.ts';
import type { Call } from './call.ts';

export function withoutRepeatedOwners(call: Pick<Call, 'warn'>, object: KubeObject): KubeObject {
  const { ownerReferences } = object.metadata;
  if (!isJsonList(ownerReferences)) return object;
  const kept: Json[] = [];
  for (const owner of ownerReferences) if (!kept.some((one) => isJsonEqual(one, owner))) kept.push(owner);
  if (kept.length === ownerReferences.length) return object;
  call.warn('metadata.ownerReferences names an owner twice');
  return withMeta(object, { ownerReferences: kept });
}
