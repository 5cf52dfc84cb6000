/** What becomes of a verb when PostgreSQL or the way to it fails in the middle of it. */
import { expect } from 'vitest';
import { draft, endedBy, heard, type Stage } from '../../src/dispatch/store/contract/stage.ts';
import { isFleetError } from '../../src/errors/fleet-error.ts';
import type { Fault, FaultStand } from './fault-stand.ts';

const job = draft('1');

async function oneJob({ stage }: FaultStand): Promise<Stage> {
  await stage.account('7');
  await stage.queued(job);
  return stage;
}

async function complete(stage: Stage, guid: string): Promise<string> {
  return stage.deliver({ kind: 'complete', job, end: endedBy('runner-a') }, guid);
}

/** The kind and the reason of a failure; anything else is thrown on. */
async function failureOf(call: Promise<unknown>): Promise<string> {
  try {
    return `it did not fail: ${JSON.stringify(await call)}`;
  } catch (error) {
    if (!isFleetError(error)) throw error;
    return `${error.kind} ${error.reason}`;
  }
}

async function deadlocksOf({ operator }: FaultStand): Promise<number> {
  await operator.query('select pg_stat_clear_snapshot()');
  const { rows } = await operator.query<{ deadlocks: string }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return Number(rows[0]?.deadlocks);
}

/** Undefined where the verb gave up before the circle was closed. */
async function deadlockedClaim(stand: FaultStand): Promise<object | undefined> {
  const { stage, rival, operator } = stand;
  await stand.holdLimits();
  const claimed = stage.claim('a').catch((error: unknown) => {
    if (isFleetError(error, 'notYet') && error.reason === 'Locked') return undefined;
    throw error;
  });
  await stand.waiting();
  // The verb has the pool and wants the limits; the rival has the limits and wants the pool.
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

/** What two Pods of two pools heard that asked at once; undefined where one of them gave up waiting. */
async function askAtOnce(stand: FaultStand, stage: Stage): Promise<readonly string[] | undefined> {
  const ask = async (pod: string, pool: string): Promise<readonly string[]> => {
    try {
      return heard(await stage.ask([pod], { pool }));
    } catch (error) {
      if (isFleetError(error, 'notYet') && error.reason === 'Locked') return [];
      throw error;
    }
  };
  await stand.holdLimits();
  const first = ask('a', 'linux');
  await stand.waitingOrOver(1, first);
  const second = ask('b', 'other');
  await stand.waitingOrOver(2, second);
  await stand.rival.query('rollback');
  const answers = [...(await first), ...(await second)];
  if (answers.length === 2) return answers;
  for (const { generation } of await stage.store.claims()) await stage.store.release(generation);
  return undefined;
}

export const verbFaults: readonly Fault[] = [
  {
    rule: 'a verb that the server sent back to end a deadlock goes again by itself',
    proves: async (stand) => {
      await oneJob(stand);
      const before = await deadlocksOf(stand);
      // Only the verb looks for a circle, so it is the one that is sent back.
      await stand.rival.query(`set deadlock_timeout = '1h'`);
      // It looks once, after a second: where the rival came later than that, all of it is done again.
      const answer = await stand.until(async () => deadlockedClaim(stand));
      expect(answer).toMatchObject({ jobId: '1' });
      await stand.until(async () => ((await deadlocksOf(stand)) > before ? true : undefined));
    },
  },
  {
    rule: 'a promotion that waited while its claim was given another job is one for that job',
    proves: async (stand) => {
      const { stage, rival } = stand;
      await stage.account('7');
      await stage.queued(job, draft('2'));
      const { generation: served } = await stage.serve('a', 'runner-a');
      const claim = await stage.claim('b');
      await rival.query(`begin; select * from jobs where id = '2' for update`);
      const promoted = stage.promote(claim, 'runner-b');
      await stand.waiting();
      // As when GitHub says just then that the other runner took job 2.
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
      expect(await stage.store.job('1')).toMatchObject({ state: 'running', generation: claim.generation });
      expect((await stage.store.openSessions()).map(({ jobId }) => jobId)).toContain('1');
    },
  },
  {
    rule: 'two claims at once do not exceed the limit of their account, also where the server would rather show them what was',
    proves: async (stand) => {
      const stage = await stand.atIsolation('repeatable read');
      await stage.account('7', { vcpus: 4, memoryGb: 8 });
      await stage.queued(job, draft('2', { pool: 'other' }));
      expect(await stand.until(async () => askAtOnce(stand, stage))).toEqual(['1', 'nothing']);
    },
  },
  {
    rule: 'a verb whose connection is ended in the middle is unavailable, and nothing of it stays',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      await stage.serve('a', 'runner-a');
      await stand.rival.query('begin; select * from claims for update');
      const failure = failureOf(complete(stage, 'guid'));
      await stand.terminate(await stand.waiting());
      expect(await failure).toBe('unavailable DatabaseUnavailable');
      await stand.rival.query('rollback');
      expect(await stage.stateOf(job)).toBe('running');
      expect(await stage.claimedPods()).toEqual(['a']);
      expect(await complete(stage, 'guid')).toBe('changed');
    },
  },
  {
    rule: 'a commit that the server did not survive is unknown, and done when it is asked for again',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      await stand.holdCommits();
      const failure = failureOf(complete(stage, 'guid'));
      await stand.terminate(await stand.waiting());
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await stand.letCommitsGo();
      expect(await complete(stage, 'guid')).toBe('changed');
      expect(await stage.stateOf(job)).toBe('completed');
    },
  },
  {
    rule: 'a commit whose answer was lost is unknown, and known when it is asked for again',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      await stand.holdCommits();
      const failure = failureOf(complete(stage, 'guid'));
      await stand.waiting();
      stand.cut();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await stand.letCommitsGo();
      await stand.until(async () => ((await stage.stateOf(job)) === 'completed' ? true : undefined));
      expect(await complete(stage, 'guid')).toBe('known');
    },
  },
  {
    rule: 'a server that falls silent is unavailable to a read and to a verb, each in time, and serves again by another connection',
    proves: async (stand) => {
      await oneJob(stand);
      const stage = stand.impatient();
      const read = async (): Promise<unknown> => stage.store.job('1');
      for (const ask of [read, async () => stage.claim('a')]) {
        await read();
        stand.goSilent();
        expect(await failureOf(ask())).toBe('unavailable DatabaseUnavailable');
      }
      expect(await stage.claim('a')).toMatchObject({ jobId: '1' });
    },
  },
  {
    rule: 'a commit after which the server falls silent is unknown, and known when it is asked for again',
    proves: async (stand) => {
      await oneJob(stand);
      const stage = stand.impatient();
      await stand.holdCommits();
      const failure = failureOf(complete(stage, 'guid'));
      await stand.waiting();
      stand.goSilent();
      await stand.letCommitsGo();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      expect(await complete(stage, 'guid')).toBe('known');
    },
  },
  {
    rule: 'a promotion whose answer was lost is promoted when it is asked for again',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      const claim = await stage.claim('a');
      await stand.holdCommits();
      const failure = failureOf(stage.promote(claim, 'runner-a'));
      await stand.waiting();
      stand.cut();
      expect(await failure).toBe('unavailable OutcomeUnknown');
      await stand.letCommitsGo();
      expect(await stage.promote(claim, 'runner-a')).toBe('promoted');
      expect(await stage.store.openSessions()).toHaveLength(1);
    },
  },
  {
    rule: 'a verb that waits too long for a lock is told to come later',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      await stand.holdLimits();
      expect(await failureOf(stage.ask(['a']))).toBe('notYet Locked');
      await stand.rival.query('rollback');
      expect(await stage.claim('a')).toMatchObject({ jobId: '1' });
    },
  },
  {
    rule: 'a verb whose statement is cancelled is told to come later',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      await stand.holdLimits();
      const failure = failureOf(stage.ask(['a']));
      await stand.operator.query('select pg_cancel_backend($1)', [await stand.waiting()]);
      expect(await failure).toBe('notYet Locked');
      await stand.rival.query('rollback');
      expect(await stage.claimedPods()).toEqual([]);
    },
  },
  {
    rule: 'verbs work again once a server that crashed under open connections has recovered',
    proves: async (stand) => {
      const stage = await oneJob(stand);
      const { rows } = await stand.rival.query<{ pid: number }>('select pg_backend_pid() as pid');
      // One process of the server that dies like this makes it end all others and start anew, a moment later.
      const others = new Promise<void>((resolve) => void stand.operator.once('end', resolve));
      process.kill(rows[0]?.pid ?? Number.NaN, 'SIGKILL');
      await others;
      const failures = new Set<string>();
      await stand.until(async () => {
        const failure = await failureOf(stage.claim('a'));
        if (failure.startsWith('it did not fail')) return true;
        failures.add(failure);
        return undefined;
      });
      expect(failures.difference(new Set(['unavailable DatabaseUnavailable']))).toEqual(new Set());
      expect(await stage.claimedPods()).toEqual(['a']);
    },
  },
];
