/** What is old is forgotten, a limited number of rows at once, oldest first. */
import { sql, type RawBuilder } from 'kysely';
import type { Bygone } from '../recovery-port.ts';
import type { Tx } from './transaction.ts';

/** So many rows of a table go at once: a statement that takes too long is broken off, and nothing would ever go. */
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
    // After the sessions, which name their jobs.
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

/** They are the largest part of a job by far. */
async function forgetLastWords(tx: Tx, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    update jobs set log_tail = null where id in (
      select id from jobs where state = 'completed' and log_tail is not null and completed_at < ${before}
      order by completed_at, id limit ${pruneMax}
    )`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Whoever decides about a claim or about a Pod that may be at work asks what became of its job. */
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
