/** Immutable ConfigMaps and Secrets: only metadata may change, and `immutable` cannot be unset. */
import { isJsonEqual } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';

export function immutableDataCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (old?.['immutable'] !== true) return [];
  const changed = ['data', 'binaryData'].filter((field) => !isJsonEqual(object[field], old[field]));
  const unlocked = object['immutable'] === true ? [] : ['immutable'];
  return [...unlocked, ...changed].map((field) => ({
    field,
    reason: 'FieldValueForbidden',
    message: 'field is immutable when `immutable` is set',
  }));
}
