/** Deletes old rows, a limited number at once, oldest first. */
import { sql, type RawBuilder } from 'kysely';
import type { Bygone } from '../recovery-port.ts';
import type { Tx } from './transaction.ts';

/**
 * Rows per table and call: a larger statement could exceed its timeout each time, and nothing would ever be deleted.
 */
const pruneMax = 5000;

export async function prune(tx: Tx, { notesBefore, jobsBefore }: Bygone): Promise<'all' | 'more'> {
  const [notes, jobs] = [new Date(notesBefore), new Date(jobsBefore)];
  const counts = [
    await forget(tx, { table: 'recovery_acts', key: 'id', time: 'at', which: sql`at < ${notes}` }),
    await forget(tx, {
      table: 'retired_pods',
      key: 'pod_uid',
      time: 'retired_at',
      which: sql`retired_at < ${notes}`,
    }),
    await forget(tx, {
      table: 'deliveries',
      key: 'guid',
      time: 'received_at',
      which: sql`received_at < ${notes}`,
    }),
    await forgetLastWords(tx, notes),
    await forget(tx, { table: 'sessions', key: 'id', time: 'ended_at', which: sql`ended_at < ${jobs}` }),
    // After the sessions, which reference their jobs.
    await forget(tx, { table: 'jobs', key: 'id', time: 'completed_at', which: unnamedJobs(jobs) }),
  ];
  return counts.includes(pruneMax) ? 'more' : 'all';
}

interface Old {
  readonly table: string;
  readonly key: string;
  readonly time: string;
  readonly which: RawBuilder<unknown>;
}

async function forget(tx: Tx, { table, key, time, which }: Old): Promise<number> {
  const [from, id, at] = [sql.table(table), sql.ref(key), sql.ref(time)];
  const { numAffectedRows } = await sql`
    delete from ${from} where ${id} in (
      select ${id} from ${from} where ${which} order by ${at}, ${id} limit ${pruneMax}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Logs are deleted before their jobs: they are the largest part of a job row. */
async function forgetLastWords(tx: Tx, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update jobs set log_tail = null where id in (
      select id from jobs where state = 'completed' and log_tail is not null and completed_at < ${before}
      order by completed_at, id limit ${pruneMax}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Excludes jobs that a claim or a session names: decisions about those read the job. */
function unnamedJobs(before: Date): RawBuilder<unknown> {
  return sql`
    state = 'completed' and completed_at < ${before}
      and not exists (select from claims where claims.job_id = jobs.id)
      and not exists (select from claims where claims.executed_job_id = jobs.id)
      and not exists (select from sessions where sessions.job_id = jobs.id)
      and not exists (
        select from sessions where sessions.executed_job_id = jobs.id and sessions.ended_at is null
      )`;
}
