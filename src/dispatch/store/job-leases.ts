/**
 * Decides about leases of recovery workers, for every store. A lease is a row and not a lock of a connection: a replica
 * that is cut off from the database while its connection stays open would keep such a lock for hours.
 */
import type { Lease, LeaseAnswer, LeaseRequest } from './recovery-port.ts';

export function leaseAnswer(lease: Lease, request: LeaseRequest): LeaseAnswer {
  const { holder, startedAt, heldUntil, goodAt } = lease;
  const { at, everyMs, leaseMs } = request;
  const taken = { kind: 'taken', goodAt } as const;
  // A repeated request, after a lost answer.
  if (holder === request.holder && startedAt === at) return taken;
  // The holder died before it released the lease, so its work was not done.
  if (heldUntil !== undefined && heldUntil <= at) return taken;
  // An expiry further ahead than a whole lease was written by a wrong clock and is ignored.
  if (heldUntil !== undefined && heldUntil <= at + leaseMs) return { kind: 'held' };
  const isEarly = startedAt !== undefined && Math.abs(at - startedAt) < everyMs;
  return isEarly ? { kind: 'not-due' } : taken;
}

/** Whether a lease is worth requesting, as far as the last read shows. */
export function isDue(leases: readonly Lease[], request: LeaseRequest): boolean {
  const lease = leases.find(({ worker }) => worker === request.worker) ?? emptyLease(request.worker);
  return leaseAnswer(lease, request).kind === 'taken';
}

/** The lease of a worker that never ran. */
export function emptyLease(worker: string): Lease {
  return { worker, holder: undefined, startedAt: undefined, heldUntil: undefined, goodAt: undefined };
}
