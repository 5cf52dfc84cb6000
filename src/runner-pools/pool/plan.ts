/**
 * Plans the actions for a pool. Ended Pods are reported and removed. Idle Pods are removed if their Node, template or
 * number is wrong. Missing Pods are created. A Pod that may run a job is left alone in any case.
 */
import { finalizers } from '../../api/names/finalizers.ts';
import type { Note, Plan } from '../../kube/reconciler/plan.ts';
import { isDeleting, keyOf } from '../../kube/client/kube-object.ts';
import { creationsIn, type Creations } from './scale-up.ts';
import type { Action, Observed } from './observed.ts';
import { createdAt, hasEnded, isAlive, isGoing, isIdle } from '../pods/runner-pods.ts';
import { drainOf, nextTimeout, retirementsIn } from './removals.ts';

/** The cache may not yet have the Pod of a new account. */
export const accountGraceMs = 60_000;
/** How long after its deletion a Pod is reported anyway: a lost Node may never report its end. */
const overdueMs = 60_000;
const steadyMs = 60_000;
const drainMs = 30_000;

export function plan(observed: Observed): Plan<Action> {
  const { pool } = observed;
  if (isDeleting(pool)) return drain(observed);
  const isHeld = pool.metadata.finalizers?.includes(finalizers.runnerPoolDrain.key) === true;
  if (!isHeld)
    return {
      actions: [{ kind: 'add-finalizer' }],
      notes: [note(observed, 'Progressing', 'the pool gets its finalizer')],
    };
  return keep(observed);
}

function keep(observed: Observed): Plan<Action> {
  const { now } = observed;
  const { chosen, roll } = retirementsIn(observed);
  const creations = creationsIn(observed);
  const removals = capped([...chosen, ...sweepsIn(observed)], observed);
  const creates = Array.from({ length: creations.count }, (): Action => ({ kind: 'create' }));
  const marks = roll.marked.map((pod): Action => ({ kind: 'mark', pod }));
  const stale = roll.stale.length;
  const rollNote =
    stale === 0
      ? []
      : [
          note(
            observed,
            'RollingOut',
            `${stale} Pods have an old template; ${roll.rolling} of at most ${roll.cap} are being replaced`,
          ),
        ];
  const due = [now + steadyMs, creations.hindered?.requeueAt, nextTimeout(observed), nextSweep(observed)];
  return {
    actions: [...reportsIn(observed), ...removals.actions, ...marks, ...creates],
    notes: [standing(observed, creations), ...rollNote, ...removals.notes],
    requeueAt: Math.min(...due.filter((at) => at !== undefined && at > now).map(Number)),
  };
}

/** Removes idle Pods, and waits for busy Pods, however long their jobs take. */
function drain(observed: Observed): Plan<Action> {
  const { now, pods, unseen } = observed;
  // No grace period: a draining pool creates no Pods, so an account without a Pod is orphaned.
  const alone = orphanedAccounts(observed).map((account): Action => ({ kind: 'sweep', account }));
  const { actions, notes } = capped([...drainOf(observed), ...alone], observed);
  const busy = pods.filter((pod) => isAlive(pod) && !isIdle(pod)).length;
  const reports = reportsIn(observed);
  const isEmpty = pods.every(isGoing) && [unseen, reports, alone].every(({ length }) => length === 0);
  const last: readonly Action[] = isEmpty ? [{ kind: 'remove-finalizer' }] : [];
  const text = `the pool is being deleted; ${busy} of its Pods run a job`;
  return {
    actions: [...reports, ...actions, ...last],
    notes: [note(observed, 'Draining', text), ...notes],
    requeueAt: now + drainMs,
  };
}

/** Ended or overdue Pods that this pass does not remove. */
function reportsIn({ pods, vanished, reported, now }: Observed): readonly Action[] {
  const isOver = (at: string | undefined): boolean => now - Date.parse(at ?? '') >= overdueMs;
  const going = pods.filter(
    (pod) => isGoing(pod) && (hasEnded(pod) || isOver(pod.metadata.deletionTimestamp)),
  );
  return [...going, ...vanished]
    .filter(({ metadata }) => !reported.has(metadata.uid))
    .map((pod) => ({ kind: 'report', pod }));
}

function sweepsIn(observed: Observed): readonly Action[] {
  return orphanedAccounts(observed)
    .filter((account) => observed.now - createdAt(account) >= accountGraceMs)
    .map((account) => ({ kind: 'sweep', account }));
}

function nextSweep(observed: Observed): number | undefined {
  const due = orphanedAccounts(observed).map((account) => createdAt(account) + accountGraceMs);
  return due.length === 0 ? undefined : Math.min(...due);
}

function orphanedAccounts({ accounts, pods, unseen }: Observed) {
  const names = new Set([...pods.map(({ metadata }) => metadata.name), ...unseen]);
  return accounts.filter(
    ({ metadata }) => !names.has(metadata.name) && metadata.deletionTimestamp === undefined,
  );
}

function capped(removals: readonly Action[], observed: Observed): Pick<Plan<Action>, 'actions' | 'notes'> {
  const { deletesMax } = observed;
  if (removals.length <= deletesMax) return { actions: removals, notes: [] };
  const text = `${removals.length} Pods and accounts are to be removed, at most ${deletesMax} in one pass`;
  return { actions: removals.slice(0, deletesMax), notes: [note(observed, 'Progressing', text)] };
}

function standing(observed: Observed, { hindered }: Creations): Note {
  const { pool, pods, unseen } = observed;
  const alive = pods.filter(isAlive).length;
  const there = `${alive} of ${pool.spec.replicas} Pods exist`;
  if (hindered !== undefined) return note(observed, hindered.reason, `${there}; ${hindered.detail}`);
  const isMet = alive + unseen.length >= pool.spec.replicas;
  return note(observed, isMet ? 'ReplicasMet' : 'ReplicasMissing', there);
}

function note({ pool }: Observed, reason: string, detail: string): Note {
  return { subject: `RunnerPool/${keyOf(pool)}`, reason, detail };
}
