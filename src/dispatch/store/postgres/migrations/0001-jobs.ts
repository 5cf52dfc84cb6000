/**
 * The first tables. Ids compare byte by byte (collation "C"), as in memory: with an order of the server's locale, two
 * replicas could disagree on which row is first.
 */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const tables = [
  `create table accounts (
    id text collate "C" primary key,
    login text not null
  )`,
  `create table installations (
    id text collate "C" primary key,
    account_id text collate "C" not null references accounts,
    state text not null check (state in ('active', 'suspended', 'removed'))
  )`,
  `create table limits (
    account_id text collate "C" not null references accounts,
    platform text collate "C" not null check (platform in ('linux', 'macos')),
    vcpus int not null check (vcpus >= 0),
    memory_gb int not null check (memory_gb >= 0),
    primary key (account_id, platform)
  )`,
  `create table deliveries (
    guid text collate "C" primary key,
    event text not null,
    action text not null,
    received_at timestamptz not null
  )`,
  `create table jobs (
    id text collate "C" primary key,
    account_id text collate "C" not null references accounts,
    installation_id text collate "C" not null,
    pool text collate "C" not null,
    platform text collate "C" not null check (platform in ('linux', 'macos')),
    vcpus int not null check (vcpus > 0),
    memory_gb int not null check (memory_gb > 0),
    label text not null,
    repository text not null,
    run_id text not null,
    run_attempt int not null,
    workflow text not null,
    name text not null,
    branch text not null,
    commit text not null,
    queued_at timestamptz not null,
    state text not null check (state in ('waiting', 'queued', 'claimed', 'running', 'completed')),
    generation text collate "C",
    claimed_at timestamptz,
    started_at timestamptz,
    completed_at timestamptz,
    conclusion text,
    executor text,
    exit_code int,
    exit_reason text,
    log_tail text
  )`,
  `create table claims (
    generation text collate "C" primary key,
    job_id text collate "C" not null unique references jobs,
    account_id text collate "C" not null references accounts,
    pool text collate "C" not null,
    pod_name text not null,
    pod_uid text collate "C" not null unique,
    platform text collate "C" not null,
    vcpus int not null check (vcpus > 0),
    memory_gb int not null check (memory_gb > 0),
    state text not null check (state in ('claimed', 'running')),
    claimed_at timestamptz not null,
    runner_name text,
    executed_job_id text collate "C",
    check ((state = 'running') = (runner_name is not null))
  )`,
  `create table sessions (
    id text collate "C" primary key,
    generation text collate "C" not null unique,
    job_id text collate "C" not null references jobs,
    account_id text collate "C" not null references accounts,
    pool text collate "C" not null,
    pod_name text not null,
    pod_uid text collate "C" not null,
    runner_name text not null,
    started_at timestamptz not null,
    ended_at timestamptz check (ended_at >= started_at),
    executed_job_id text collate "C"
  )`,
  `create table retired_pods (
    pod_uid text collate "C" primary key,
    pod_name text not null,
    pool text collate "C" not null,
    retired_at timestamptz not null
  )`,
];

const indexes = [
  // The queue of a pool: accounts with queued jobs, and the oldest job of each.
  `create index jobs_queue on jobs (pool, account_id, queued_at, id) where state = 'queued'`,
  `create index jobs_live on jobs (state, queued_at) where state <> 'completed'`,
  `create index jobs_recent on jobs (queued_at, id)`,
  `create index claims_of_account on claims (account_id, platform)`,
  `create index claims_of_runner on claims (account_id, runner_name)`,
  `create index claims_of_pool on claims (pool)`,
  `create index sessions_of_pod on sessions (pod_uid)`,
  `create index sessions_of_runner on sessions (account_id, runner_name)`,
  `create index sessions_open on sessions (pool) where ended_at is null`,
  `create index sessions_recent on sessions (pool, started_at)`,
  `create index deliveries_by_age on deliveries (received_at)`,
];

export const jobTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of [...tables, ...indexes]) await sql.raw(statement).execute(db);
  },
};
