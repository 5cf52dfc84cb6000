/** Tables of the recovery: audit records, leases, and suspicions. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const statements = [
  // Without foreign keys: an audit record outlives its job and its claim.
  `create table recovery_acts (
    id text collate "C" primary key,
    at timestamptz not null,
    kind text not null,
    job_id text collate "C",
    pod_name text collate "C",
    pod_uid text collate "C",
    generation text collate "C",
    evidence jsonb not null,
    outcome text not null
  )`,
  `create table recovery_turns (
    worker text collate "C" primary key,
    holder text collate "C",
    started_at timestamptz,
    held_until timestamptz,
    good_at timestamptz
  )`,
  `create table suspects (
    worker text collate "C" not null,
    subject text collate "C" not null,
    since timestamptz not null,
    primary key (worker, subject)
  )`,
  `create index recovery_acts_newest on recovery_acts (at desc, id desc)`,
  `create index recovery_acts_of_job on recovery_acts (job_id) where job_id is not null`,
  `create index recovery_acts_of_pod on recovery_acts (pod_uid) where pod_uid is not null`,
  `create index recovery_acts_of_pod_name on recovery_acts (pod_name) where pod_name is not null`,
  `create index retired_pods_by_age on retired_pods (retired_at)`,
];

export const recoveryTables: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
};
