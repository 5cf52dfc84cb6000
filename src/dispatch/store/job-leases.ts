/**
 * Whose turn it is with a piece of recovery, decided alike in every store. A turn is a lease and not a lock of a connection:
 * a replica that is cut off from the database without its connection ending would keep such a lock for hours.
 */
import type { Lease, LeaseAnswer, LeaseRequest } from './recovery-port.ts';

export function leaseAnswer(lease: Lease, request: LeaseRequest): LeaseAnswer {
  const { holder, startedAt, heldUntil, goodAt } = lease;
  const { at, everyMs, leaseMs } = request;
  const taken = { kind: 'taken', goodAt } as const;
  // The same question again: the first answer was lost.
  if (holder === request.holder && startedAt === at) return taken;
  // Nobody ended it, so its work was not done.
  if (heldUntil !== undefined && heldUntil <= at) return taken;
  // What lies further ahead than it could was written by a clock that was wrong.
  if (heldUntil !== undefined && heldUntil <= at + leaseMs) return { kind: 'held' };
  const isEarly = startedAt !== undefined && Math.abs(at - startedAt) < everyMs;
  return isEarly ? { kind: 'not-due' } : taken;
}

/** Whether it is worth asking for, as far as a look at all turns shows. */
export function isDue(leases: readonly Lease[], request: LeaseRequest): boolean {
  const lease = leases.find(({ worker }) => worker === request.worker) ?? emptyLease(request.worker);
  return leaseAnswer(lease, request).kind === 'taken';
}

/** Of a worker that never had one. */
export function emptyLease(worker: string): Lease {
  return { worker, holder: undefined, startedAt: undefined, heldUntil: undefined, goodAt: undefined };
}
