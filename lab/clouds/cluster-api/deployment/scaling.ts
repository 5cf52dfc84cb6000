/** The number of Machines of each MachineSet, where old Machines stay until they are deleted. */
import type { MachineDeployment, MachineSet } from '../kinds.ts';

/** The replicas of a new set: only the missing ones. */
export function replicasToBeginWith(deployment: MachineDeployment, others: readonly MachineSet[]): number {
  return Math.max(0, deployment.spec.replicas - total(others));
}

/** The sets whose number changes, the new set included; `others` by age. */
export function scaling(
  deployment: MachineDeployment,
  current: MachineSet,
  others: readonly MachineSet[],
): ReadonlyMap<MachineSet, number> {
  const wanted = deployment.spec.replicas;
  const missing = Math.max(0, wanted - total([current, ...others]));
  const ofCurrent = Math.min(wanted, current.spec.replicas + missing);
  const ofOthers = shrink(others, wanted - ofCurrent);
  return new Map(
    [[current, ofCurrent] as const, ...ofOthers].filter(([set, replicas]) => set.spec.replicas !== replicas),
  );
}

/** An old set does not replace deleted Machines; beyond that the oldest sets shrink first. */
function shrink(
  others: readonly MachineSet[],
  remaining: number,
): readonly (readonly [MachineSet, number])[] {
  const asked = others.reduce((sum, { spec }) => sum + spec.replicas, 0);
  const present = others.map((set) => [set, Math.min(set.spec.replicas, set.status?.replicas ?? 0)] as const);
  const left = present.reduce((sum, [, replicas]) => sum + replicas, 0);
  let surplus = Math.max(0, asked - remaining) - (asked - left);
  return present.map(([set, replicas]) => {
    const fewer = Math.max(0, Math.min(replicas, surplus));
    surplus -= fewer;
    return [set, replicas - fewer] as const;
  });
}

/** Counts existing Machines, and Machines still to be created. */
function total(sets: readonly MachineSet[]): number {
  return sets.reduce((sum, { spec, status }) => sum + Math.max(spec.replicas, status?.replicas ?? 0), 0);
}
