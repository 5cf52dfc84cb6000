/** Reads of the tables. Lists have the same order as in memory. */
import { sql, type Kysely } from 'kysely';
import type { JobFilter, RunnerName, SessionOwner, Usage } from '../port.ts';
import type { Account, Claim, Installation, Job, Profile, Session } from '../rows.ts';
import { claimOf, installationOf, jobOf, limitOf, profileOf, sessionOf } from './row-shapes.ts';
import type { JobRow, LimitRow, Schema } from './schema.ts';

type Db = Kysely<Schema>;

export async function job(db: Db, id: string): Promise<Job | undefined> {
  const row = await db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  return row && jobOf(row);
}

export async function jobs(db: Db, filter: JobFilter): Promise<readonly Job[]> {
  const { pool, accountId, states, ids, queuedBefore, isNewestFirst = false, limit } = filter;
  const direction = isNewestFirst ? 'desc' : 'asc';
  const rows = await db
    .selectFrom('jobs')
    .selectAll()
    .$if(pool !== undefined, (query) => query.where('pool', '=', pool ?? ''))
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? ''))
    .$if(states !== undefined, (query) => query.where('state', 'in', [...(states ?? [])]))
    .$if(ids !== undefined, (query) => query.where(sql<boolean>`id = any(${[...(ids ?? [])]})`))
    .$if(queuedBefore !== undefined, (query) => query.where('queued_at', '<', new Date(queuedBefore ?? 0)))
    .orderBy('queued_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute();
  return rows.map(jobOf);
}

export async function queuedPools(db: Db): Promise<readonly string[]> {
  const { rows } = await sql<Pick<JobRow, 'pool'>>`
    select distinct pool from jobs where state = 'queued' order by pool`.execute(db);
  return rows.map(({ pool }) => pool);
}

export async function claims(db: Db): Promise<readonly Claim[]> {
  const rows = await db.selectFrom('claims').selectAll().orderBy('generation').execute();
  return rows.map(claimOf);
}

export async function openSessions(db: Db): Promise<readonly Session[]> {
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(sessionOf);
}

/** The uid is indexed, the name is not. */
export async function lastSession(db: Db, of: SessionOwner): Promise<Session | undefined> {
  const sessions = db.selectFrom('sessions').selectAll();
  const own =
    'podUid' in of ? sessions.where('pod_uid', '=', of.podUid) : sessions.where('pod_name', '=', of.podName);
  const row = await own.orderBy('started_at', 'desc').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row && sessionOf(row);
}

/** Two array parameters, since a statement may have only 65,535 parameters. */
export async function sessionsOf(db: Db, runners: readonly RunnerName[]): Promise<readonly Session[]> {
  const accountIds = runners.map(({ accountId }) => accountId);
  const names = runners.map(({ runnerName }) => runnerName);
  const rows = await db
    .selectFrom('sessions')
    .selectAll()
    .where(
      sql<boolean>`(account_id, runner_name) in (select * from unnest(${accountIds}::text[], ${names}::text[]))`,
    )
    .orderBy('id')
    .execute();
  return rows.map(sessionOf);
}

export async function accounts(db: Db): Promise<readonly Account[]> {
  return db.selectFrom('accounts').selectAll().orderBy('id').execute();
}

export async function account(db: Db, id: string): Promise<Account | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function installation(db: Db, id: string): Promise<Installation | undefined> {
  const row = await db.selectFrom('installations').selectAll().where('id', '=', id).executeTakeFirst();
  return row && installationOf(row);
}

/** The installation of each id, in order. */
export async function installationsById(
  db: Db,
  ids: readonly string[],
): Promise<readonly (Installation | undefined)[]> {
  const rows = await db
    .selectFrom('installations')
    .selectAll()
    .where(sql<boolean>`id = any(${[...new Set(ids)]})`)
    .execute();
  const known = new Map(rows.map((row) => [row.id, installationOf(row)]));
  return ids.map((id) => known.get(id));
}

export async function installations(db: Db): Promise<readonly Installation[]> {
  const rows = await db.selectFrom('installations').selectAll().orderBy('id').execute();
  return rows.map(installationOf);
}

export async function profiles(db: Db, accountId: string): Promise<readonly Profile[]> {
  const rows = await db
    .selectFrom('profiles')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('name')
    .execute();
  return rows.map(profileOf);
}

export async function usage(db: Db): Promise<readonly Usage[]> {
  const { rows } = await sql<LimitRow & { readonly used_vcpus: number; readonly used_memory_gb: number }>`
    select limits.*, coalesce(sum(claims.vcpus), 0)::int as used_vcpus,
      coalesce(sum(claims.memory_gb), 0)::int as used_memory_gb
    from limits left join claims using (account_id, platform)
    group by limits.account_id, limits.platform
    order by limits.account_id, limits.platform`.execute(db);
  return rows.map((row) => ({
    ...limitOf(row),
    usedVcpus: row.used_vcpus,
    usedMemoryGb: row.used_memory_gb,
  }));
}
