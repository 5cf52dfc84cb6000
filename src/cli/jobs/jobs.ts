/** `muster jobs`: lists the jobs of dispatch, without a state those that wait or run. */
import { jobStates, type Account, type Job, type JobState } from '../../dispatch/store/rows.ts';
import { ageText, stampOf } from '../hosts/ages.ts';
import { tableText, type Column } from '../hosts/table.ts';
import type { ProcessPorts } from '../process-ports.ts';
import { accountCalled } from './account-called.ts';
import { onStore } from './connect-store.ts';
import { podsOfJobs } from './pods-of-jobs.ts';
import type { StoreOptions } from './store-options.ts';

export interface JobsOptions extends StoreOptions {
  readonly pool?: string;
  readonly account?: string;
  readonly state?: JobState;
  readonly limit: number;
  readonly wide?: true;
}

interface Row {
  readonly job: Job;
  readonly account: string;
  readonly pod: string | undefined;
}

export function runJobs(options: JobsOptions, ports: ProcessPorts): Promise<void> {
  return onStore(options, ports, async (store) => {
    const accounts = await store.accounts();
    const account = options.account === undefined ? undefined : accountCalled(accounts, options.account);
    const isPast = options.state === 'completed';
    const jobs = await store.jobs({
      limit: options.limit,
      isNewestFirst: isPast,
      ...(options.pool !== undefined && { pool: options.pool }),
      ...(account !== undefined && { accountId: account.id }),
      states:
        options.state === undefined ? jobStates.filter((state) => state !== 'completed') : [options.state],
    });
    const pods = await podsOfJobs(store, jobs);
    const rows = jobs.map((job) => rowOf(job, accounts, pods));
    const { terminal, clock } = ports;
    if (options.json === true)
      return terminal.out(`${JSON.stringify({ jobs: rows.map(jsonOf) }, null, 2)}\n`);
    if (rows.length > 0) terminal.out(tableText(columnsAt(clock.now()), rows, options.wide));
    const which = `, the ${isPast ? 'newest' : 'oldest'} ${options.limit}; more with --limit`;
    terminal.out(`${countsOf(jobs)}${jobs.length === options.limit ? which : ''}\n`);
  });
}

function rowOf(job: Job, accounts: readonly Account[], pods: ReadonlyMap<string, string>): Row {
  const account = accounts.find(({ id }) => id === job.accountId)?.login ?? job.accountId;
  return { job, account, pod: pods.get(job.id) };
}

function columnsAt(now: number): readonly Column<Row>[] {
  const age = (at: number | undefined): string => (at === undefined ? '-' : ageText(now - at));
  return [
    { title: 'JOB', cell: ({ job }) => job.id },
    { title: 'STATE', cell: ({ job }) => job.state },
    { title: 'REPOSITORY', cell: ({ job }) => job.repository, least: 12 },
    { title: 'NAME', cell: ({ job }) => job.name, least: 8 },
    { title: 'POOL', cell: ({ job }) => job.pool, least: 8 },
    { title: 'POD', cell: ({ pod }) => pod ?? '-', least: 10 },
    { title: 'QUEUED', cell: ({ job }) => age(job.queuedAt) },
    { title: 'STARTED', cell: ({ job }) => age(job.startedAt) },
    { title: 'RESULT', cell: ({ job }) => job.conclusion ?? '-', least: 9 },
  ];
}

function jsonOf({ job, account, pod }: Row): object {
  const at = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : stampOf(ms));
  return {
    id: job.id,
    state: job.state,
    account,
    repository: job.repository,
    name: job.name,
    workflow: job.workflow,
    pool: job.pool,
    pod,
    runner: job.executor,
    queuedAt: at(job.queuedAt),
    claimedAt: at(job.claimedAt),
    startedAt: at(job.startedAt),
    completedAt: at(job.completedAt),
    conclusion: job.conclusion,
  };
}

function countsOf(jobs: readonly Job[]): string {
  const counts = jobStates
    .map((state) => [state, jobs.filter((job) => job.state === state).length] as const)
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  return counts.length === 0 ? 'no jobs' : counts.join(', ');
}
