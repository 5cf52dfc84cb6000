/**
 * Claims that nobody promotes: whoever made one died before a registration was handed out. The Pod is free again and the job
 * waits again, in one transaction. A claim that was promoted is never touched here: a build of many hours is healthy.
 */
import type { Claim } from '../../store/rows.ts';
import { oldestClaims } from './oldest-claims.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { draftOf, type RecoveryPorts } from '../scheduler/worker.ts';

export type StaleClaimPorts = Pick<RecoveryPorts, 'clock' | 'newId' | 'recovered' | 'say'> & {
  readonly store: Pick<RecoveryPorts['store'], 'claims' | 'release'>;
};

export function decideStaleClaims(
  claims: readonly Claim[],
  { at, olderThanMs }: { readonly at: number; readonly olderThanMs: number },
): readonly Claim[] {
  return oldestClaims(
    claims.filter(({ state, claimedAt }) => state === 'claimed' && claimedAt < at - olderThanMs),
  );
}

/** How many were given back. Whoever else gives one back meanwhile has done the same. */
export async function releaseStaleClaims(ports: StaleClaimPorts, olderThanMs: number): Promise<number> {
  const { store, clock, recovered, say } = ports;
  const at = clock.now();
  let released = 0;
  await oneByOne(
    decideStaleClaims(await store.claims(), { at, olderThanMs }),
    async ({ generation, jobId, pod, claimedAt }) => {
      const about = { jobId, pod, generation, evidence: { claimedForMs: at - claimedAt } };
      if ((await store.release(generation, draftOf(ports, 'stale_claim', about))) === 'stale') return;
      recovered('stale_claim', about);
      released += 1;
    },
    ({ jobId }, error) => say('a claim that nobody promotes could not be given back', { job: jobId, error }),
  );
  return released;
}
