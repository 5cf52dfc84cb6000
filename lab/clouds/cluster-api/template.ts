/** Templates of Machines: which differences need new Machines. */
import { isDeepStrictEqual } from 'node:util';
import type { MachineDeployment, MachineSet, MachineTemplate } from './kinds.ts';

/** Labels and annotations do not count: they are changed in place. */
export function isSameTemplate({ spec: a }: MachineTemplate, { spec: b }: MachineTemplate): boolean {
  return isDeepStrictEqual(a, b);
}

/** The set with the present template; the first, should there be several. */
export function currentSet(
  deployment: MachineDeployment,
  sets: readonly MachineSet[],
): MachineSet | undefined {
  return sets.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
}
