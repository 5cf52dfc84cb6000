/** One delivery of a crowd that cannot be stored does not keep the others from it. */
import { expect } from 'vitest';
import { draft } from '../../src/dispatch/store/contract/stage.ts';
import { isFleetError } from '../../src/errors/fleet-error.ts';
import type { Fault, FaultStand } from './fault-stand.ts';

const crowdSize = 12;
/** Among those that are stored together: the first ones go before any crowd has gathered. */
const odd = 7;

/** What became of each of a dozen jobs that were told of at once, of which one is told of like this. */
async function outcomesOf({ stage }: FaultStand, other: { readonly accountId?: string }) {
  const jobs = Array.from({ length: crowdSize }, (_, index) => draft(`${index}`, index === odd ? other : {}));
  const ends = await Promise.allSettled(
    jobs.map(async (job, index) => stage.deliver({ kind: 'enqueue', job }, `delivery of ${index}`)),
  );
  return ends.map((end) => (end.status === 'fulfilled' ? end.value : reasonOf(end.reason)));
}

function reasonOf(error: unknown): string {
  return isFleetError(error) ? error.reason : 'an error';
}

function allBut(odds: string): readonly string[] {
  return Array.from({ length: crowdSize }, (_, index) => (index === odd ? odds : 'changed'));
}

async function insertJob({ rival }: FaultStand, id: string): Promise<void> {
  await rival.query(
    `insert into jobs (id, account_id, installation_id, pool, platform, vcpus, memory_gb, label, repository, run_id,
      run_attempt, workflow, name, branch, commit, queued_at, state)
    values ($1, '7', '7', 'linux', 'linux', 1, 1, '', '', '', 1, '', '', '', '', now(), 'queued')`,
    [id],
  );
}

async function insertDelivery({ rival }: FaultStand, guid: string): Promise<void> {
  await rival.query(`insert into deliveries (guid, event, action, received_at) values ($1, '', '', now())`, [
    guid,
  ]);
}

export const crowdFaults: readonly Fault[] = [
  {
    rule: 'of a crowd of deliveries, one that the server refuses fails alone, and is not known afterwards',
    proves: async (stand) => {
      await stand.stage.account('7');
      expect(await outcomesOf(stand, { accountId: 'nobody' })).toEqual(allBut('an error'));
      const again = stand.stage.deliver({ kind: 'enqueue', job: draft(`${odd}`) }, `delivery of ${odd}`);
      expect(await again).toBe('changed');
    },
  },
  {
    rule: 'of a crowd of deliveries, one whose job somebody else holds is told to come later, alone',
    proves: async (stand) => {
      await stand.stage.account('7');
      await stand.rival.query('begin');
      await stand.rival
        .query(`insert into jobs (id, account_id, installation_id, pool, platform, vcpus, memory_gb, label,
        repository, run_id, run_attempt, workflow, name, branch, commit, queued_at, state)
        values ('${odd}', '7', '7', 'linux', 'linux', 1, 1, '', '', '', 1, '', '', '', '', now(), 'queued')`);
      expect(await outcomesOf(stand, {})).toEqual(allBut('Locked'));
      await stand.rival.query('rollback');
      expect(await outcomesOf(stand, {})).toEqual(
        allBut('changed').map((_, index) => (index === odd ? 'changed' : 'known')),
      );
    },
  },
  {
    rule: 'a crowd of deliveries takes jobs and deliveries in the order of their ids, so that two crowds never wait for each other',
    proves: async (stand) => {
      await stand.stage.account('7');
      // With it, who must wait for the crowd fails.
      await stand.rival.query(`set lock_timeout = '100ms'`);
      for (const insert of [insertJob, insertDelivery]) {
        await stand.rival.query('begin');
        await insert(stand, 'b');
        // The first two go alone.
        const crowd = ['first', 'second', 'c', 'b', 'a'].map(async (id) =>
          stand.stage.deliver({ kind: 'enqueue', job: draft(id) }, id),
        );
        await stand.waiting();
        await insert(stand, 'c');
        await stand.rival.query('rollback');
        expect(new Set(await Promise.all(crowd))).toEqual(new Set(['changed']));
        await stand.operator.query('truncate jobs, deliveries cascade');
      }
    },
  },
];
