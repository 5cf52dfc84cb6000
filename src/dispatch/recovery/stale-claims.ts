/**
 * Claims that nobody promotes: whoever made one died before a registration was handed out. The Pod is free again and the job
 * waits again, in one transaction. A claim that was promoted is never touched here: a build of many hours is healthy.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { JobStore } from '../store/port.ts';

export interface StaleClaimPorts {
  readonly store: Pick<JobStore, 'claims' | 'release'>;
  readonly clock: Clock;
  readonly olderThanMs: number;
}

/** How many were given back. Whoever else gives one back meanwhile has done the same. */
export async function releaseStaleClaims({ store, clock, olderThanMs }: StaleClaimPorts): Promise<number> {
  const before = clock.now() - olderThanMs;
  const stale = (await store.claims()).filter(
    ({ state, claimedAt }) => state === 'claimed' && claimedAt < before,
  );
  let released = 0;
  for (const { generation } of stale) if ((await store.release(generation)) === 'released') released += 1;
  return released;
}
