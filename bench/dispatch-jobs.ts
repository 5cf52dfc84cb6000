/** The jobs of `bench/dispatch`: accounts, webhooks about jobs, and rows of waiting jobs. */
import { createHmac } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import type { PostgresStore } from '../src/dispatch/store/postgres/postgres-store.ts';
import type { Schema } from '../src/dispatch/store/postgres/schema.ts';

export const webhookSecret = 'of the benchmark';
export const poolName = 'linux';
export const dispatchLabel = 'tuist-linux';

const accountCount = 20;
/** No account reaches its budget: budgets are not measured. */
const plenty = { vcpus: 1_000_000, memoryGb: 1_000_000 };

export async function openAccounts(store: PostgresStore): Promise<void> {
  for (let index = 1; index <= accountCount; index += 1) {
    const account = { id: String(index), login: `org-${index}` };
    const installation = { id: String(1000 + index), accountId: account.id, state: 'active' } as const;
    await store.apply({ kind: 'install', account, installation });
    await store.setLimit({ accountId: account.id, platform: 'linux', ...plenty });
  }
}

export interface SignedHook {
  readonly jobId: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** As large as those of GitHub, which have many fields that dispatch does not need. */
const padding = 'x'.repeat(8000);

export function queuedHook(number: number, at: number): SignedHook {
  const jobId = String(9_100_000_000_000_000n + BigInt(number));
  const account = 1 + (number % accountCount);
  const body = JSON.stringify({
    action: 'queued',
    workflow_job: {
      id: 0,
      run_id: 1,
      run_attempt: 1,
      name: 'build',
      workflow_name: 'CI',
      head_branch: 'main',
      head_sha: '0'.repeat(40),
      status: 'queued',
      conclusion: null,
      labels: ['self-hosted', dispatchLabel],
      created_at: new Date(at).toISOString(),
      started_at: new Date(at).toISOString(),
      completed_at: null,
      runner_id: null,
      runner_name: null,
      steps: [],
      html_url: padding,
    },
    repository: {
      id: account,
      full_name: `org-${account}/app`,
      owner: { id: account, login: `org-${account}` },
    },
    installation: { id: 1000 + account },
  }).replace('"id":0', `"id":${jobId}`);
  const signature = `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;
  return {
    jobId,
    body,
    headers: {
      'content-type': 'application/json',
      'x-github-event': 'workflow_job',
      'x-github-delivery': `delivery-${jobId}`,
      'x-hub-signature-256': signature,
    },
  };
}

/** Rows of waiting jobs, as many webhooks would have left them; also in the raw table of the compared loop. */
export async function fillQueue(db: Kysely<Schema>, count: number): Promise<void> {
  await sql`truncate jobs, claims, sessions`.execute(db);
  await sql`
    insert into jobs (id, account_id, installation_id, pool, platform, vcpus, memory_gb, label, repository, run_id,
      run_attempt, workflow, name, branch, commit, queued_at, state)
    select (8000000000000000 + n)::text, (1 + n % ${accountCount})::text, (1001 + n % ${accountCount})::text,
      ${poolName}, 'linux', 1, 1, ${dispatchLabel}, 'org/app', '1', 1, 'CI', 'build', 'main', '0',
      now() - (${count} - n) * interval '1 millisecond', 'queued'
    from generate_series(1, ${count}) n`.execute(db);
  await sql`drop table if exists raw_jobs, raw_claims`.execute(db);
  await sql`create table raw_claims (job_id text primary key, pod text unique not null)`.execute(db);
  await sql`create table raw_jobs as select * from jobs`.execute(db);
  await sql`alter table raw_jobs add primary key (id)`.execute(db);
  await sql`create index on raw_jobs (pool, queued_at, id) where state = 'queued'`.execute(db);
  await sql`analyze jobs, raw_jobs`.execute(db);
}
