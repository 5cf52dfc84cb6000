/** A store call when PostgreSQL or the connection fails in the middle. */
import { expect } from 'vitest';
import { draft, endedBy, heard, type Fixture } from '../../../lab/contracts/store/harness.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Fault, FaultHarness } from './fault-harness.ts';

const job = draft('1');

async function oneJob({ fixture }: FaultHarness): Promise<Fixture> {
  await fixture.account('7');
  await fixture.queued(job);
  return fixture;
}

async function complete(fixture: Fixture, guid: string): Promise<string> {
  return fixture.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, guid);
}

/** The kind and the reason of a failure; any other error is rethrown. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    return `the call did not fail: ${JSON.stringify(await call)}`;
  } catch (error) {
    if (!isFleetError(error)) throw error;
    return `${error.kind} ${error.reason}`;
  }
}

async function deadlocksOf({ operator }: FaultHarness): Promise<number> {
  await operator.query('select pg_stat_clear_snapshot()');
  const { rows } = await operator.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

/** Undefined where the call gave up before the deadlock was complete. */
async function deadlockedClaim(harness: FaultHarness): Promise<object | undefined> {
  const { fixture, rival, operator } = harness;
  await harness.holdLimits();
  const claimed = fixture.claim('a').catch((error: unknown) => {
    if (isFleetError(error, 'notYet') && error.reason === 'Locked') return undefined;
    throw error;
  });
  await harness.waiting();
  // The call holds the pool and wants the limits; the rival holds the limits and wants the pool.
  const { rows } = await operator.query<{ classid: string; objid: string }>(
    `select classid, objid from pg_locks where locktype = 'advisory' and granted`,
  );
  await rival.query('select pg_advisory_xact_lock($1::bigint::int, $2::bigint::bit(32)::int)', [
    rows[0]?.classid,
    rows[0]?.objid,
  ]);
  await rival.query('rollback');
  return claimed;
}

/** The answers to two Pods of two pools with simultaneous polls; undefined where one of them timed out. */
async function askAtOnce(harness: FaultHarness, fixture: Fixture): Promise<readonly string[] | undefined> {
  const ask = async (pod: string, pool: string): Promise<readonly string[]> => {
    try {
      return heard(await fixture.ask([pod], { pool }));
    } catch (error) {
      if (isFleetError(error, 'notYet') && error.reason === 'Locked') return [];
      throw error;
    }
  };
  await harness.holdLimits();
  const first = ask('a', 'linux');
  await harness.waitingOrOver(1, first);
  const second = ask('b', 'other');
  await harness.waitingOrOver(2, second);
  await harness.rival.query('rollback');
  const answers = [...(await first), ...(await second)];
  if (answers.length === 2) return answers;
  for (const { generation } of await fixture.store.claims()) await fixture.store.release(generation);
  return undefined;
}

export const verbFaults: readonly Fault[] = [
  {
    rule: 'a verb that the server aborted as a deadlock victim is retried',
    proves: async (harness) => {
      await oneJob(harness);
      const before = await deadlocksOf(harness);
      // Only the store checks for deadlocks, so the store is the victim.
      await harness.rival.query(`set deadlock_timeout = '1h'`);
      // The check runs once, after a second: if the rival was later than that, repeat everything.
      const answer = await harness.until(async () => deadlockedClaim(harness));
      expect(answer).toMatchObject({ jobId: '1' });
      await harness.until(async () => ((await deadlocksOf(harness)) > before ? true : undefined));
    },
  },
  {
    rule: 'a promotion that waited while its claim got another job promotes for that job',
    proves: async (harness) => {
      const { fixture, rival } = harness;
      await fixture.account('7');
      await fixture.queued(job, draft('2'));
      const { generation: served } = await fixture.serve('a', 'runner-a');
      const claim = await fixture.claim('b');
      await rival.query(`begin; select * from jobs where id = '2' for update`);
      const promoted = fixture.promote(claim, 'runner-b');
      await harness.waiting();
      // As when GitHub reports just then that the other runner took job 2.
      await rival.query(`update claims set job_id = case job_id when '1' then '2' else '1' end`);
      await rival.query(
        `update jobs set executor = 'runner-a', state = 'running', generation = $1 where id = '2'`,
        [served],
      );
      await rival.query(`update jobs set state = 'claimed', generation = $1 where id = '1'`, [
        claim.generation,
      ]);
      await rival.query('commit');
      expect(await promoted).toBe('promoted');
      expect(await fixture.store.job('1')).toMatchObject({ state: 'running', generation: claim.generation });
      expect((await fixture.store.openSessions()).map(({ jobId }) => jobId)).toContain('1');
    },
  },
  {
    rule: 'two parallel claims do not exceed the limit of their account, even under repeatable read',
    proves: async (harness) => {
      const fixture = await harness.atIsolation('repeatable read');
      await fixture.account('7', { vcpus: 4, memoryGb: 8 });
      await fixture.queued(job, draft('2', { pool: 'other' }));
      expect(await harness.until(async () => askAtOnce(harness, fixture))).toEqual(['1', 'nothing']);
    },
  },
  {
    rule: 'a verb whose connection is ended in the middle is unavailable, and nothing of it stays',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      await fixture.serve('a', 'runner-a');
      await harness.rival.query('begin; select * from claims for update');
      const failure = failureOf(complete(fixture, 'guid'));
      await harness.terminate(await harness.waiting());
      expect(await failure).toBe('unavailable DatabaseUnavailable');
      await harness.rival.query('rollback');
      expect(await fixture.stateOf(job)).toBe('running');
      expect(await fixture.claimedPods()).toEqual(['a']);
      expect(await complete(fixture, 'guid')).toBe('changed');
    },
  },
  {
    rule: 'a commit during a server crash is uncertain, and succeeds on a retry',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      await harness.holdCommits();
      const failure = failureOf(complete(fixture, 'guid'));
      await harness.terminate(await harness.waiting());
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await harness.letCommitsGo();
      expect(await complete(fixture, 'guid')).toBe('changed');
      expect(await fixture.stateOf(job)).toBe('completed');
    },
  },
  {
    rule: 'a commit with a lost answer is uncertain, and known on a retry',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      await harness.holdCommits();
      const failure = failureOf(complete(fixture, 'guid'));
      await harness.waiting();
      harness.cut();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await harness.letCommitsGo();
      await harness.until(async () => ((await fixture.stateOf(job)) === 'completed' ? true : undefined));
      expect(await complete(fixture, 'guid')).toBe('known');
    },
  },
  {
    rule: 'a silent server makes a read and a verb fail in time, and serves again over another connection',
    proves: async (harness) => {
      await oneJob(harness);
      const fixture = harness.impatient();
      const read = async (): Promise<unknown> => fixture.store.job('1');
      for (const ask of [read, async () => fixture.claim('a')]) {
        await read();
        harness.goSilent();
        expect(await failureOf(ask())).toBe('unavailable DatabaseUnavailable');
      }
      expect(await fixture.claim('a')).toMatchObject({ jobId: '1' });
    },
  },
  {
    rule: 'a commit on a server that falls silent is uncertain, and known on a retry',
    proves: async (harness) => {
      await oneJob(harness);
      const fixture = harness.impatient();
      await harness.holdCommits();
      const failure = failureOf(complete(fixture, 'guid'));
      await harness.waiting();
      harness.goSilent();
      await harness.letCommitsGo();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      expect(await complete(fixture, 'guid')).toBe('known');
    },
  },
  {
    rule: 'a promotion with a lost answer succeeds on a retry',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      const claim = await fixture.claim('a');
      await harness.holdCommits();
      const failure = failureOf(fixture.promote(claim, 'runner-a'));
      await harness.waiting();
      harness.cut();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await harness.letCommitsGo();
      expect(await fixture.promote(claim, 'runner-a')).toBe('promoted');
      expect(await fixture.store.openSessions()).toHaveLength(1);
    },
  },
  {
    rule: 'a verb that waits too long for a lock is asked to retry',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      await harness.holdLimits();
      expect(await failureOf(fixture.ask(['a']))).toBe('notYet Locked');
      await harness.rival.query('rollback');
      expect(await fixture.claim('a')).toMatchObject({ jobId: '1' });
    },
  },
  {
    rule: 'a verb whose statement is canceled is asked to retry',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      await harness.holdLimits();
      const failure = failureOf(fixture.ask(['a']));
      await harness.operator.query('select pg_cancel_backend($1)', [await harness.waiting()]);
      expect(await failure).toBe('notYet Locked');
      await harness.rival.query('rollback');
      expect(await fixture.claimedPods()).toEqual([]);
    },
  },
  {
    rule: 'verbs work again once a server that crashed under open connections has recovered',
    proves: async (harness) => {
      const fixture = await oneJob(harness);
      const { rows } = await harness.rival.query<{ pid: number }>('select pg_backend_pid() as pid');
      // One process that dies like this makes the server end all others and restart, a moment later.
      const others = new Promise<void>((resolve) => void harness.operator.once('end', resolve));
      process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL');
      await others;
      const failures = new Set<string>();
      await harness.until(async () => {
        const failure = await failureOf(fixture.claim('a'));
        if (failure.startsWith('the call did not fail')) return true;
        failures.add(failure);
        return undefined;
      });
      expect(failures.difference(new Set(['unavailable DatabaseUnavailable']))).toEqual(new Set());
      expect(await fixture.claimedPods()).toEqual(['a']);
    },
  },
];
