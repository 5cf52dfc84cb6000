/**
 * Decides what to remove of deleted pools: the finalizer was removed by force, or
 * the last Pod was still terminating. Pods have no owner, so Kubernetes does not
 * remove them. As in a drain, idle Pods are removed, and busy Pods are waited for.
 */
import type { Note, Plan } from '../../kube/reconciler/plan.ts';
import type { Pod, ServiceAccount } from '../../kube/client/builtin-resources.ts';
import { createdAt, hasEnded, isAlive, isGoing, isIdle } from '../pods/runner-pods.ts';

export interface Observed {
  readonly now: number;
  /** Namespace and name of the pool. */
  readonly key: string;
  /** Pods of earlier pools of that name. */
  readonly pods: readonly Pod[];
  readonly accounts: readonly ServiceAccount[];
}

export type Action =
  | { readonly kind: 'remove'; readonly pod: Pod }
  /** Removes an account whose Pod is gone. */
  | { readonly kind: 'sweep'; readonly account: ServiceAccount };

/** The cache may not yet have the Pod of a new account. */
const accountGraceMs = 60_000;
const lookAgainMs = 30_000;
const removalsMax = 25;

export function plan(observed: Observed): Plan<Action> {
  const { now, key, pods, accounts } = observed;
  const removals: readonly Action[] = [
    ...pods.filter(isOver).map((pod): Action => ({ kind: 'remove', pod })),
    ...orphanedAccounts(observed).map((account): Action => ({ kind: 'sweep', account })),
  ];
  const busy = pods.filter((pod) => isAlive(pod) && !isIdle(pod)).length;
  const detail = `the pool is gone; it left ${pods.length} Pods, of which ${busy} run a job, and ${accounts.length} accounts`;
  const note: Note = { subject: `RunnerPool/${key}`, reason: 'Draining', detail };
  return { actions: removals.slice(0, removalsMax), notes: [note], requeueAt: now + lookAgainMs };
}

/** The Pod has ended, or never had a job. */
export function isOver(pod: Pod): boolean {
  return isAlive(pod) ? isIdle(pod) : hasEnded(pod) && !isGoing(pod);
}

function orphanedAccounts({ now, pods, accounts }: Observed): readonly ServiceAccount[] {
  const names = new Set(pods.map(({ metadata }) => metadata.name));
  return accounts.filter(
    (account) =>
      !names.has(account.metadata.name) &&
      account.metadata.deletionTimestamp === undefined &&
      now - createdAt(account) >= accountGraceMs,
  );
}
