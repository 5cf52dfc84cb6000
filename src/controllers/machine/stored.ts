/** A machine as it is stored: where it is, and what is written to keep it from vanishing. */
import { finalizers } from '../../api/finalizers.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import type { Place } from '../../runtime/kube/kube-object.ts';

/** Its metadata with our finalizer, for a write that fails if anybody else has written. */
export function guarded({ metadata }: MachineObject) {
  const { finalizers: had = [], resourceVersion } = metadata;
  const held = had.includes(finalizers.machine.key) ? had : [...had, finalizers.machine.key];
  return { resourceVersion, finalizers: held };
}

export function placeOf({ metadata }: MachineObject): Place {
  return { name: metadata.name, ...(metadata.namespace !== undefined && { namespace: metadata.namespace }) };
}
