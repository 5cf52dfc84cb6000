/**
 * Claims for all Pods of a pool that wait on one replica, in one transaction. Claims of a pool are serialized across
 * replicas: no claim skips a row that another transaction has only read, so no job is missed, and the order between
 * accounts holds for the whole fleet. The pools of an account share its budget, so the limit row is locked too, and
 * usage is read after that.
 */
import { sql } from 'kysely';
import { chooseJobs, type AccountQueue } from '../choose-jobs.ts';
import type { ClaimAnswer, ClaimingPod, ClaimRequest } from '../port.ts';
import type { Job, Limit } from '../rows.ts';
import { lockPool } from './pool-lock.ts';
import { release } from './release.ts';
import { claimOf, jobOf, limitOf } from './row-shapes.ts';
import type { ClaimRow, JobRow, LimitRow } from './schema.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { accountsWithoutApp } from './inactive-accounts.ts';

export async function claim(tx: Tx, request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
  await lockPool(tx, request.pool);
  await giveUpUnanswered(tx, request.pods);
  const taken = await takenPods(tx, request.pods);
  const free = request.pods.filter((pod) => !taken.has(pod.uid));
  const jobs = free.length === 0 ? [] : await choose(tx, request, free.length);
  const pairs = jobs.flatMap((job, index) => {
    const pod = free[index];
    return pod === undefined ? [] : [{ job, pod }];
  });
  const made = await reserve(tx, pairs, request.at);
  return request.pods.map(({ generation, ...pod }): ClaimAnswer => {
    const why = taken.get(pod.uid);
    if (why !== undefined) return { kind: 'taken', pod, why };
    return made.get(generation) ?? { kind: 'nothing', pod };
  });
}

async function giveUpUnanswered(tx: Tx, pods: readonly ClaimingPod[]): Promise<void> {
  const uids = pods.map((pod) => pod.uid);
  const { rows } = await sql<Pick<ClaimRow, 'generation'>>`
    select generation from claims where pod_uid = any(${uids}) and state = 'claimed'
    order by generation`.execute(tx);
  for (const { generation } of rows) await release(tx, generation);
}

async function takenPods(
  tx: Tx,
  pods: readonly ClaimingPod[],
): Promise<ReadonlyMap<string, 'served' | 'retired'>> {
  const uids = pods.map((pod) => pod.uid);
  const { rows } = await sql<{ readonly pod_uid: string; readonly why: 'served' | 'retired' }>`
    select pod_uid, 'served' as why from claims where pod_uid = any(${uids})
    union select pod_uid, 'served' from sessions where pod_uid = any(${uids}) and ended_at is null
    union select pod_uid, 'retired' from retired_pods where pod_uid = any(${uids})
    order by why desc`.execute(tx);
  return new Map(rows.map((row) => [row.pod_uid, row.why]));
}

async function choose(tx: Tx, request: ClaimRequest, count: number): Promise<readonly Job[]> {
  const heads = await oldestOfEachAccount(tx, request, count);
  if (heads.length === 0) return [];
  const limits = await lockLimits(tx, heads);
  const used = await usedBy(tx, [...limits.keys()]);
  const queues = [...Map.groupBy(heads, budgetKey)].map(([key, jobs]): AccountQueue<Job> => ({
    jobs,
    used: used.get(key) ?? { vcpus: 0, memoryGb: 0 },
    limit: limits.get(key),
  }));
  return chooseJobs(queues, { count, at: request.at });
}

/** Steps from account to account along the index, so a long queue of one account costs no more than a short one. */
async function oldestOfEachAccount(
  tx: Tx,
  { pool, queuedAfter, except }: ClaimRequest,
  count: number,
): Promise<readonly Job[]> {
  const { rows } = await sql<JobRow>`
    with recursive waiting as (
      (select account_id from jobs where pool = ${pool} and state = 'queued' order by account_id limit 1)
      union all
      select (select next.account_id from jobs next
              where next.pool = ${pool} and next.state = 'queued' and next.account_id > waiting.account_id
              order by next.account_id limit 1)
      from waiting where waiting.account_id is not null
    )
    select head.* from waiting cross join lateral (
      select * from jobs
      where pool = ${pool} and state = 'queued' and account_id = waiting.account_id
        and queued_at > ${new Date(queuedAfter)}
        and id <> all(${[...except.jobs]}) and repository <> all(${[...except.repositories]})
      order by queued_at, id limit ${count}
    ) head
    where head.account_id <> all(${[...except.accounts]})
      and waiting.account_id not in (${accountsWithoutApp})`.execute(tx);
  return rows.map(jobOf);
}

/** Locks in the order of the key, so that two pools with common accounts cannot deadlock. */
async function lockLimits(tx: Tx, jobs: readonly Job[]): Promise<ReadonlyMap<string, Limit>> {
  const accounts = [...new Set(jobs.map((job) => job.accountId))];
  const platforms = [...new Set(jobs.map((job) => job.shape.platform))];
  const { rows } = await sql<LimitRow>`
    select * from limits where account_id = any(${accounts}) and platform = any(${platforms})
    order by account_id, platform for update`.execute(tx);
  return new Map(rows.map((row) => [`${row.account_id}/${row.platform}`, limitOf(row)]));
}

type Amount = Pick<Limit, 'vcpus' | 'memoryGb'>;

async function usedBy(tx: Tx, keys: readonly string[]): Promise<ReadonlyMap<string, Amount>> {
  const accounts = [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/'))))];
  const { rows } = await sql<LimitRow>`
    select account_id, platform, sum(vcpus)::int as vcpus, sum(memory_gb)::int as memory_gb
    from claims where account_id = any(${accounts}) group by account_id, platform`.execute(tx);
  return new Map(rows.map((row) => [`${row.account_id}/${row.platform}`, limitOf(row)]));
}

function budgetKey({ accountId, shape }: Job): string {
  return `${accountId}/${shape.platform}`;
}

interface Pair {
  readonly job: Job;
  readonly pod: ClaimingPod;
}

/** A job that ended since it was chosen is no longer `queued` and gets no claim; its Pod keeps waiting. */
async function reserve(
  tx: Tx,
  pairs: readonly Pair[],
  at: number,
): Promise<ReadonlyMap<string, ClaimAnswer>> {
  if (pairs.length === 0) return new Map();
  const { rows } = await sql<ClaimRow>`
    with pair as (
      select * from unnest(
        ${pairs.map(({ job }) => job.id)}::text[], ${pairs.map(({ pod }) => pod.generation)}::text[],
        ${pairs.map(({ pod }) => pod.name)}::text[], ${pairs.map(({ pod }) => pod.uid)}::text[]
      ) as pair (job_id, generation, pod_name, pod_uid)
    ), moved as (
      update jobs set state = 'claimed', generation = pair.generation, claimed_at = ${new Date(at)}
      from pair where jobs.id = pair.job_id and jobs.state = 'queued'
      returning jobs.*, pair.pod_name, pair.pod_uid
    )
    insert into claims (generation, job_id, account_id, pool, pod_name, pod_uid, platform, vcpus, memory_gb,
      state, claimed_at)
    select generation, id, account_id, pool, pod_name, pod_uid, platform, vcpus, memory_gb, 'claimed', claimed_at
    from moved
    returning *`.execute(tx);
  const jobs = new Map(pairs.map(({ job }) => [job.id, job]));
  return new Map(
    rows.flatMap((row) => {
      const job = jobs.get(row.job_id);
      if (job === undefined) return [];
      const pod = { name: row.pod_name, uid: row.pod_uid };
      emitAfterCommit(tx, { kind: 'claimed', pool: job.pool, queuedAt: job.queuedAt, at });
      const claimed: Job = { ...job, state: 'claimed', generation: row.generation, claimedAt: at };
      return [[row.generation, { kind: 'claimed', pod, claim: claimOf(row), job: claimed }] as const];
    }),
  );
}
