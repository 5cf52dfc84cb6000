/** Profiles: names of an account for shapes of runners. */
import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export const profileTable: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`
      create table profiles (
        account_id text collate "C" not null references accounts,
        name text collate "C" not null check (name ~ '^[a-z][a-z0-9-]{0,31}$'),
        platform text collate "C" not null check (platform in ('linux', 'macos')),
        vcpus int not null check (vcpus > 0),
        memory_gb int not null check (memory_gb > 0),
        is_protected boolean not null,
        primary key (account_id, name)
      )`.execute(db);
  },
};
