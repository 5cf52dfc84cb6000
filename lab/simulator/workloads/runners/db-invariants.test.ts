/** Each invariant between rows can fail: a test breaks one invariant by hand, and no other is reported. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { draft } from '../../../contracts/store/harness.ts';
import { newJob, Tables } from '../../../../src/dispatch/store/model/tables.ts';
import type { Claim, Job } from '../../../../src/dispatch/store/rows.ts';
import { World } from '../../world/world.ts';
import { RowRules } from './db-invariants.ts';

const shape = { platform: 'linux', vcpus: 2, memoryGb: 4 } as const;
const accountId = '1';

function claimOf(generation: string, other: Partial<Claim> = {}): Claim {
  return {
    generation,
    jobId: `job of ${generation}`,
    accountId,
    pool: 'linux',
    pod: { name: generation, uid: `uid of ${generation}` },
    shape,
    state: 'claimed',
    claimedAt: 0,
    runnerName: undefined,
    executedJobId: undefined,
    ...other,
  };
}

function jobIn(state: Job['state']): Job {
  return newJob(draft('7', { accountId }), state);
}

/** Returns the violation after these writes in sequence. Two claims fit into the budget of the account. */
function violatedBy(
  ...writes: readonly ((tables: Tables, rules: RowRules) => unknown)[]
): string | undefined {
  const world = new World({ seed: 1, drain });
  const tables = new Tables();
  tables.setLimit({ accountId, platform: 'linux', vcpus: 4, memoryGb: 100 });
  const rules = new RowRules(world, tables);
  for (const write of writes) {
    write(tables, rules);
    rules.written();
  }
  return world.violation && `${world.violation.id}: ${world.violation.message}`;
}

const put =
  (...claims: readonly Claim[]) =>
  (tables: Tables): void => {
    for (const claim of claims) tables.claims.set(claim.generation, claim);
  };
const putJob = (state: Job['state']) => (tables: Tables) => tables.jobs.set('7', jobIn(state));
/** The database of before this claim was promoted and this job completed. */
const goBack = (tables: Tables, rules: RowRules): void => {
  put(claimOf('a'))(tables);
  putJob('running')(tables);
  rules.wentBack();
};
const giveBack = (generation: string) => (tables: Tables) => tables.claims.delete(generation);

describe('a violation is', () => {
  it.for([
    ['two claims on one job', { jobId: 'job of a' }, 'S10: two claims are on one job'],
    ['two claims on one Pod', { pod: claimOf('a').pod }, 'S10: two claims are on one Pod'],
  ] as const)('%s', ([, other, message]) => {
    expect(violatedBy(put(claimOf('a')), put(claimOf('b', other)))).toBe(message);
  });

  it.for([
    ['another Pod', { pod: claimOf('b').pod }, 'S11: a claim changed its Pod or its job'],
    ['another job', { jobId: 'another' }, 'S11: a claim changed its Pod or its job'],
    ['a promotion taken back', { state: 'claimed' }, 'S11: a claim that was promoted is one that was not'],
  ] as const)('a claim with %s', ([, other, message]) => {
    const before = claimOf('a', { state: 'running', runnerName: 'a' });
    expect(violatedBy(put(before), put({ ...before, ...other }))).toBe(message);
  });

  it('a claim that reappears after its release', () => {
    expect(violatedBy(put(claimOf('a')), giveBack('a'), put(claimOf('a')))).toBe(
      'S11: a claim that was given back is there again',
    );
  });

  it('a claim beyond the budget of its account', () => {
    expect(violatedBy(put(claimOf('a'), claimOf('b')), put(claimOf('c')))).toBe(
      'S13: account 1 has 6 cores in use, more than its limit',
    );
  });

  it.for(['queued', 'claimed', 'running'] as const)('a job that was over and is %s', (state) => {
    expect(violatedBy(putJob('completed'), putJob(state))).toBe(`S18: job 7 was over and is ${state}`);
  });
});

describe('no violation is', () => {
  it('a job from its queue to its end, with a second claim after a released one', () => {
    const second = claimOf('b', { jobId: '7' });
    const served = violatedBy(
      putJob('queued'),
      put(claimOf('a', { jobId: '7' })),
      giveBack('a'),
      put(second),
      putJob('running'),
      put({ ...second, state: 'running', runnerName: 'b' }),
      putJob('completed'),
      giveBack('b'),
    );
    expect(served).toBeUndefined();
  });

  it('a difference in an older copy of the database', () => {
    const promoted = claimOf('a', { state: 'running', runnerName: 'a' });
    expect(violatedBy(put(promoted), putJob('completed'), goBack)).toBeUndefined();
    expect(violatedBy(put(promoted), giveBack('a'), goBack)).toBeUndefined();
    expect(violatedBy(goBack, put(claimOf('b', { jobId: 'job of a' })))).toMatch(/^S10/);
  });

  it('a full budget, or a budget lowered below the use', () => {
    const lower = (tables: Tables): void =>
      tables.setLimit({ accountId, platform: 'linux', vcpus: 2, memoryGb: 4 });
    expect(violatedBy(put(claimOf('a')), put(claimOf('b')), lower)).toBeUndefined();
  });
});
