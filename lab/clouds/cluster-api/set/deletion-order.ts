/** The order in which a MachineSet deletes surplus Machines. */
import { conditionOf } from '../conditions.ts';
import { annotations, type DeletionOrder, type Machine, type MachineSet } from '../kinds.ts';
import { isDeleting } from '../step.ts';

/** First Machines being deleted, then annotated, then unhealthy ones; then by the delete policy, then by name. */
export function firstToGo({ spec }: MachineSet, all: readonly Machine[]): readonly Machine[] {
  const order = spec.deletion?.order ?? 'Random';
  return all.toSorted((a, b) => urgency(b) - urgency(a) || byOrder(order, a, b) || byName(a, b));
}

function urgency(machine: Machine): number {
  if (isDeleting(machine)) return 3;
  if (machine.metadata.annotations?.[annotations.deleteFirst] !== undefined) return 2;
  return isHealthy(machine) ? 0 : 1;
}

function isHealthy(machine: Machine): boolean {
  return machine.status?.nodeRef !== undefined && conditionOf(machine, 'NodeHealthy')?.status !== 'False';
}

function byOrder(order: DeletionOrder, a: Machine, b: Machine): number {
  if (order === 'Random' || urgency(a) > 0) return 0;
  const older = (a.metadata.creationTimestamp ?? '').localeCompare(b.metadata.creationTimestamp ?? '');
  return order === 'Oldest' ? older : -older;
}

function byName(a: Machine, b: Machine): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
