/**
 * Claims that were never promoted: the replica that made the claim died before it handed out a registration. One
 * transaction frees the Pod and requeues the job. A promoted claim is never touched here: a build may take many hours.
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

/** Returns how many claims were released. A release by another replica has the same effect and is not counted. */
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
    ({ jobId }, error) => say('failed to release stale claim', { job: jobId, error }),
  );
  return released;
}
