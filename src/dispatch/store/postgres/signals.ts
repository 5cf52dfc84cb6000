/** The signals for the autoscaler of a pool. The database counts; the rules are shared with the model. */
import { sql, type Kysely } from 'kysely';
import { headroom } from '../choose-jobs.ts';
import type { Signals } from '../port.ts';
import { busyMinutes, discretePercentile, longestSessionMs } from '../session-load.ts';
import { usage } from './reads.ts';
import type { JobRow, Schema } from './schema.ts';
import { accountsWithoutApp } from './inactive-accounts.ts';

const hourMs = 3_600_000;
type Db = Kysely<Schema>;

export async function signals(db: Db, pool: string, at: number): Promise<Signals> {
  const [claimed, queues, occupied, load] = await Promise.all([
    countClaims(db, pool),
    queuesOf(db, pool),
    countOccupied(db, pool, at),
    loadOf(db, pool, at),
  ]);
  const budgets = await usage(db);
  const admitted = queues.map((queue) => {
    const budget = budgets.find(
      (limit) => limit.accountId === queue.account_id && limit.platform === queue.platform,
    );
    const used = { vcpus: budget?.usedVcpus ?? 0, memoryGb: budget?.usedMemoryGb ?? 0 };
    const shape = { platform: queue.platform, vcpus: queue.vcpus, memoryGb: queue.memory_gb };
    return queue.has_app ? Math.min(queue.waiting, headroom(budget, used, shape)) : 0;
  });
  const queued = admitted.reduce((sum, count) => sum + count, 0);
  return {
    claimed,
    queued,
    withheld: queues.reduce((sum, queue) => sum + queue.waiting, 0) - queued,
    occupied,
    p95LastHour: discretePercentile(load, 0.95),
    oldestQueuedAt: queues
      .map((queue) => queue.queued_at.getTime())
      .reduce<number | undefined>((oldest, time) => Math.min(oldest ?? time, time), undefined),
  };
}

async function countClaims(db: Db, pool: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from claims where pool = ${pool}`.execute(db);
  return rows[0]?.count ?? 0;
}

type Queue = Pick<JobRow, 'account_id' | 'platform' | 'vcpus' | 'memory_gb' | 'queued_at'> & {
  readonly waiting: number;
  readonly has_app: boolean;
};

/** Queued jobs per account, and the oldest job, whose shape represents all. */
async function queuesOf(db: Db, pool: string): Promise<readonly Queue[]> {
  const { rows } = await sql<Queue>`
    select distinct on (account_id) account_id, platform, vcpus, memory_gb, queued_at,
      (count(*) over (partition by account_id))::int as waiting,
      account_id not in (${accountsWithoutApp}) as has_app
    from jobs where pool = ${pool} and state = 'queued'
    order by account_id, queued_at, id`.execute(db);
  return rows;
}

async function countOccupied(db: Db, pool: string, at: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select pod_uid from claims where pool = ${pool}
      union select pod_uid from sessions
      where pool = ${pool} and ended_at is null and started_at > ${new Date(at - longestSessionMs)}
    ) pods`.execute(db);
  return rows[0]?.count ?? 0;
}

async function loadOf(db: Db, pool: string, at: number): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('sessions')
    .select(['started_at', 'ended_at'])
    .where('pool', '=', pool)
    .where('started_at', '>', new Date(at - longestSessionMs - hourMs))
    .where((where) =>
      where.or([where('ended_at', 'is', null), where('ended_at', '>', new Date(at - hourMs))]),
    )
    .execute();
  const spans = rows.map((row) => ({
    startedAt: row.started_at.getTime(),
    endedAt: row.ended_at?.getTime(),
  }));
  return busyMinutes(spans, at);
}
