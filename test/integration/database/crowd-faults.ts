/** In a batch of deliveries, one that cannot be stored does not block the others. */
import { expect } from 'vitest';
import { draft, type Fixture } from '../../../lab/contracts/store/harness.ts';
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Fault, FaultHarness } from './fault-harness.ts';

const crowdSize = 12;
/** A delivery of the batch: the first ones are sent before a batch forms. */
const odd = 7;

/** The results of a dozen simultaneous jobs, one of which differs like this. */
async function outcomesOf(fixture: Fixture, other: { readonly accountId?: string }) {
  const jobs = Array.from({ length: crowdSize }, (_, index) => draft(`${index}`, index === odd ? other : {}));
  const ends = await Promise.allSettled(
    jobs.map(async (job, index) => fixture.deliver({ kind: 'enqueue', job }, `delivery of ${index}`)),
  );
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : reasonOf(end.reason)));
}

function reasonOf(error: unknown): string {
  return isFleetError(error) ? error.reason : 'an error';
}

function allBut(odds: string): readonly string[] {
  return Array.from({ length: crowdSize }, (_, index) => (index === odd ? odds : 'changed'));
}

async function insertJob({ rival }: FaultHarness, id: string): Promise<void> {
  await rival.query(
    `insert into jobs (id, account_id, installation_id, pool, platform, vcpus, memory_gb, label, repository, run_id,
      run_attempt, workflow, name, branch, commit, queued_at, state)
    values ($1, '7', '7', 'linux', 'linux', 1, 1, '', '', '', 1, '', '', '', '', now(), 'queued')`,
    [id],
  );
}

/** The number of transactions that wrote the stored jobs. */
async function writersOf({ operator }: FaultHarness): Promise<number> {
  const { rows } = await operator.query<{ writers: string }>(
    'select count(distinct xmin::text) as writers from jobs',
  );
  return Number(rows[0]?.writers);
}

/** The lock timeout in the commit of each transaction that wrote jobs, whatever its earlier setting. */
async function patienceInCommits({ operator }: FaultHarness) {
  await operator.query(`
    create table commits (lock_timeout text);
    create function note_commit() returns trigger language plpgsql as
      $$ begin insert into commits values (current_setting('lock_timeout')); return null; end $$;
    create constraint trigger note_commit after insert on jobs
      deferrable initially deferred for each row execute function note_commit()`);
  return async (): Promise<readonly string[]> => {
    const { rows } = await operator.query<{ lock_timeout: string }>('select lock_timeout from commits');
    await operator.query('drop trigger note_commit on jobs; drop function note_commit; drop table commits');
    return rows.map(({ lock_timeout: patience }) => patience);
  };
}

export const crowdFaults: readonly Fault[] = [
  {
    rule: 'of a batch of deliveries the first two are stored alone, and all others in one transaction',
    proves: async (harness) => {
      const fixture = harness.patient();
      await fixture.account('7');
      expect(await outcomesOf(fixture, {})).toEqual(allBut('changed'));
      expect(await writersOf(harness)).toBe(3);
    },
  },
  {
    // Commits with a notification take a lock of the whole server; the short timeout of row locks would not be enough.
    rule: 'the commit of a batch of deliveries waits for the notification lock as long as any other',
    proves: async (harness) => {
      const fixture = harness.patient();
      await fixture.account('7');
      const seen = await patienceInCommits(harness);
      expect(await outcomesOf(fixture, {})).toEqual(allBut('changed'));
      expect(await writersOf(harness)).toBe(3);
      expect(await seen()).toEqual(Array.from({ length: crowdSize }, () => '2s'));
    },
  },
  {
    rule: 'in a batch of deliveries, one that the server refuses fails alone, and is unknown afterwards',
    proves: async (harness) => {
      const fixture = harness.patient();
      await fixture.account('7');
      expect(await outcomesOf(fixture, { accountId: 'nobody' })).toEqual(allBut('an error'));
      const again = fixture.deliver({ kind: 'enqueue', job: draft(`${odd}`) }, `delivery of ${odd}`);
      expect(await again).toBe('changed');
    },
  },
  {
    rule: 'in a batch of deliveries, one whose job is locked elsewhere is asked to retry, alone',
    proves: async (harness) => {
      const fixture = harness.patient();
      await fixture.account('7');
      await harness.rival.query('begin');
      await insertJob(harness, `${odd}`);
      expect(await outcomesOf(fixture, {})).toEqual(allBut('Locked'));
      await harness.rival.query('rollback');
      expect(await outcomesOf(fixture, {})).toEqual(
        allBut('changed').map((_, index) => (index === odd ? 'changed' : 'known')),
      );
    },
  },
  {
    // Two safeguards: the batch locks no known job, and waits only briefly. Without both, a claim would wait for the
    // batch.
    rule: 'a batch of deliveries locks no known job, so that claims and ends of jobs do not wait',
    proves: async (harness) => {
      const { rival } = harness;
      const fixture = harness.patient();
      const known = ['a', 'b', 'c'];
      await fixture.account('7');
      await fixture.queued(...known.map((id) => draft(id)));
      await rival.query(
        `begin; set local lock_timeout = '700ms'; select * from jobs where id = 'b' for update`,
      );
      // The first two are sent before a batch forms.
      const crowd = ['first', 'second', 'c', 'b', 'a'].map(async (id) =>
        fixture.deliver({ kind: 'enqueue', job: draft(id) }, `of ${id}`),
      );
      await harness.waiting();
      await rival.query(`select * from jobs where id = any($1) for update`, [known]);
      await rival.query('rollback');
      const outcomes = await Promise.all(crowd);
      expect(outcomes.map((outcome) => outcome === 'changed')).toEqual([true, true, false, false, false]);
    },
  },
  {
    rule: 'in a batch of deliveries on a silent server, no more fail than there were connections',
    proves: async (harness) => {
      await harness.fixture.account('7');
      const connections = 6;
      const fixture = harness.impatient(connections);
      await Promise.all(Array.from({ length: connections }, async () => fixture.store.job('any')));
      harness.goSilent();
      const ends = await Promise.allSettled(
        Array.from({ length: 30 }, async (_, index) =>
          fixture.deliver({ kind: 'enqueue', job: draft(`${index}`) }),
        ),
      );
      const failed = ends.filter((end) => end.status === 'rejected').length;
      expect(failed).toBeLessThanOrEqual(connections);
      expect(await fixture.store.jobs({ limit: 1000 })).toHaveLength(ends.length - failed);
    },
  },
];
