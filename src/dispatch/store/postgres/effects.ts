/**
 * Effects of webhooks in SQL. Each effect is one guarded write of its job row, so two concurrent effects on two
 * replicas are serialized by that row, and either order ends in the same state.
 */
import { sql } from 'kysely';
import type { Effect } from '../port.ts';
import { defaultLimits } from '../default-limits.ts';
import { firstProfile } from '../profile-rules.ts';
import { queuedSince, type HeardBy } from '../queued-since.ts';
import type { Account, JobDraft } from '../rows.ts';
import { exchangeJobs, lockJobsOfRunner } from './exchange-jobs.ts';
import { resumeJobs } from './resume-jobs.ts';
import { draftRow, profileRow } from './row-shapes.ts';
import { emitAfterCommit, type Tx } from './transaction.ts';
import { wake } from './wake.ts';

type Of<K extends Effect['kind']> = Extract<Effect, { kind: K }>;
type Change = 'changed' | 'unchanged';

export async function applyEffect(tx: Tx, effect: Effect, by: HeardBy): Promise<Change> {
  switch (effect.kind) {
    case 'wait':
      return withName(tx, effect.job, await wait(tx, effect));
    case 'enqueue':
      return withName(tx, effect.job, await enqueue(tx, effect, by));
    case 'start':
      return withName(tx, effect.job, await start(tx, effect));
    case 'complete':
      return complete(tx, effect);
    case 'install':
      return install(tx, effect);
  }
}

/**
 * Updates the repository name of a known job. A repository or its organisation may be renamed while a job waits, and
 * GitHub is queried by that name. Effects that change the row set the name themselves; this is for repeated webhooks.
 * Not an event of the job.
 */
async function withName(tx: Tx, { id, repository }: JobDraft, change: Change): Promise<Change> {
  if (change === 'unchanged')
    await tx
      .updateTable('jobs')
      .set({ repository })
      .where('id', '=', id)
      .where('repository', '<>', repository)
      .where('state', '<>', 'completed')
      .execute();
  return change;
}

async function wait(tx: Tx, { job }: Of<'wait'>): Promise<Change> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('jobs')
    .values(emptyRow(job, 'waiting'))
    .onConflict((known) => known.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return changed(numInsertedOrUpdatedRows);
}

/**
 * Sets the waiting time even for a job that started or ended before
 * its `queued` webhook: every order must end with the same time.
 */
async function enqueue(tx: Tx, effect: Of<'enqueue'>, by: HeardBy): Promise<Change> {
  const { job } = effect;
  const { approved, other } = queuedSince(effect, by);
  const row = await tx
    .insertInto('jobs')
    .values(queuedRow(job, other))
    .onConflict((known) =>
      known.column('id').doUpdateSet({
        heard_queued: true,
        queued_at: sql`case jobs.state when 'waiting' then ${new Date(approved)} else excluded.queued_at end`,
        state: sql`case jobs.state when 'waiting' then 'queued' else jobs.state end`,
        repository: sql`case jobs.state when 'completed' then jobs.repository else excluded.repository end`,
      }).where(sql<boolean>`jobs.state = 'waiting'
          or (not jobs.heard_queued and jobs.state in ('running', 'completed'))`),
    )
    .returning('state')
    .executeTakeFirst();
  if (row?.state !== 'queued') return 'unchanged';
  await emitQueued(tx, [job.pool]);
  return 'changed';
}

/** `pools` holds the pool of each job. */
export async function emitQueued(tx: Tx, pools: readonly string[]): Promise<void> {
  for (const pool of pools) emitAfterCommit(tx, { kind: 'enqueued', pool });
  for (const pool of new Set(pools)) await wake(tx, pool);
}

export function queuedRow(job: JobDraft, since: number) {
  return { ...emptyRow(job, 'queued'), queued_at: new Date(since), heard_queued: true };
}

async function start(tx: Tx, { job, runnerName, at }: Of<'start'>): Promise<Change> {
  await lockJobsOfRunner(tx, job, runnerName);
  const { repository } = job;
  const found = { state: 'running', executor: runnerName, started_at: new Date(at), repository } as const;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('jobs')
    .values({ ...emptyRow(job, 'running'), ...found })
    .onConflict((known) =>
      known
        .column('id')
        .doUpdateSet(found)
        .where('jobs.state', '<>', 'completed')
        .where('jobs.executor', 'is', null),
    )
    .executeTakeFirstOrThrow();
  const change = changed(numInsertedOrUpdatedRows);
  if (change === 'changed') await bindExecution(tx, job, runnerName);
  return change;
}

async function complete(tx: Tx, { job, end }: Of<'complete'>): Promise<Change> {
  if (end.runnerName !== undefined) await lockJobsOfRunner(tx, job, end.runnerName);
  const found = {
    state: 'completed',
    repository: job.repository,
    conclusion: end.conclusion,
    completed_at: new Date(end.at),
    started_at: end.startedAt === undefined ? null : new Date(end.startedAt),
    executor: end.runnerName ?? null,
  } as const;
  const row = await tx
    .insertInto('jobs')
    .values({ ...emptyRow(job, 'completed'), ...found })
    .onConflict((known) => known.column('id').doUpdateSet(found).where('jobs.state', '<>', 'completed'))
    .returning(['pool', 'queued_at'])
    .executeTakeFirst();
  if (row === undefined) return 'unchanged';
  const { startedAt, conclusion, at } = end;
  const queuedAt = row.queued_at.getTime();
  emitAfterCommit(tx, { kind: 'completed', pool: row.pool, conclusion, queuedAt, startedAt, at });
  if (end.runnerName === undefined) return 'changed';
  await bindExecution(tx, job, end.runnerName);
  // End the claim of the runner that did the work, not the claim made for this job: the Pod of that claim may be busy.
  const freed = await tx
    .deleteFrom('claims')
    .where('account_id', '=', job.accountId)
    .where('runner_name', '=', end.runnerName)
    .returning('pool')
    .execute();
  for (const { pool } of freed) await wake(tx, pool);
  return 'changed';
}

async function bindExecution(tx: Tx, { id, accountId }: JobDraft, runnerName: string): Promise<void> {
  for (const table of ['claims', 'sessions'] as const)
    await tx
      .updateTable(table)
      .set({ executed_job_id: id })
      .where('account_id', '=', accountId)
      .where('runner_name', '=', runnerName)
      .execute();
  await exchangeJobs(tx, id, { accountId, runnerName });
}

async function install(
  tx: Tx,
  { account, installation, firstProfile: size }: Of<'install'>,
): Promise<Change> {
  const isNew = await isNewAccount(tx, account);
  const { numUpdatedRows: renamed } = await tx
    .updateTable('accounts')
    .set({ login: account.login })
    .where('id', '=', account.id)
    .where('login', '<>', account.login)
    .executeTakeFirstOrThrow();
  if (isNew && size !== undefined)
    await tx
      .insertInto('profiles')
      .values(profileRow(firstProfile(account.id, size)))
      .execute();
  await tx
    .insertInto('limits')
    .values(
      defaultLimits(account.id).map((limit) => ({
        account_id: limit.accountId,
        platform: limit.platform,
        vcpus: limit.vcpus,
        memory_gb: limit.memoryGb,
      })),
    )
    .onConflict((known) => known.columns(['account_id', 'platform']).doNothing())
    .execute();
  const row = { id: installation.id, account_id: installation.accountId, state: installation.state };
  const installations = await tx
    .insertInto('installations')
    .values(row)
    .onConflict((known) =>
      known
        .column('id')
        .doUpdateSet({ account_id: row.account_id, state: row.state })
        // GitHub never reuses the id, so a later webhook about a removed installation is an older one.
        .where('installations.state', '<>', 'removed')
        .where((where) =>
          where.or([
            where('installations.account_id', '<>', row.account_id),
            where('installations.state', '<>', row.state),
          ]),
        ),
    )
    .executeTakeFirstOrThrow();
  const change = isNew ? 'changed' : changed(renamed + (installations.numInsertedOrUpdatedRows ?? 0n));
  if (change === 'changed') await resumeJobs(tx, installation.accountId);
  return change;
}

async function isNewAccount(tx: Tx, account: Account): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('accounts')
    .values(account)
    .onConflict((known) => known.column('id').doNothing())
    .executeTakeFirstOrThrow();
  return changed(numInsertedOrUpdatedRows) === 'changed';
}

function emptyRow(job: JobDraft, state: 'waiting' | 'queued' | 'running' | 'completed') {
  return {
    ...draftRow(job),
    state,
    heard_queued: false,
    generation: null,
    claimed_at: null,
    started_at: null,
    completed_at: null,
    conclusion: null,
    executor: null,
    exit_code: null,
    exit_reason: null,
    log_tail: null,
  };
}

function changed(rows: bigint | undefined): Change {
  return rows === undefined || rows === 0n ? 'unchanged' : 'changed';
}
