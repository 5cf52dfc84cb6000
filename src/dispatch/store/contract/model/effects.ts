/** What follows from a webhook, in memory. Any order and any number of repeats of the same ones ends the same way. */
import { isDeepStrictEqual } from 'node:util';
import { defaultLimits } from '../../default-limits.ts';
import type { Effect } from '../../port.ts';
import type { Job } from '../../rows.ts';
import { newJob, type Tables } from './tables.ts';

type Of<K extends Effect['kind']> = Extract<Effect, { kind: K }>;
type Change = 'changed' | 'unchanged';

export function applyEffect(tables: Tables, effect: Effect): Change {
  switch (effect.kind) {
    case 'wait':
      return insertUnlessKnown(tables, newJob(effect.job, 'waiting'));
    case 'enqueue':
      return enqueue(tables, effect);
    case 'start':
      return start(tables, effect);
    case 'complete':
      return complete(tables, effect);
    case 'install':
      return install(tables, effect);
  }
}

function insertUnlessKnown(tables: Tables, job: Job): Change {
  if (tables.jobs.has(job.id)) return 'unchanged';
  tables.jobs.set(job.id, job);
  return 'changed';
}

function enqueue(tables: Tables, { job: draft }: Of<'enqueue'>): Change {
  const known = tables.jobs.get(draft.id);
  if (known !== undefined && known.state !== 'waiting') return 'unchanged';
  tables.jobs.set(draft.id, known === undefined ? newJob(draft, 'queued') : { ...known, state: 'queued' });
  tables.told({ kind: 'enqueued', pool: draft.pool });
  return 'changed';
}

function start(tables: Tables, { job: draft, runnerName, at }: Of<'start'>): Change {
  const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  if (known.state === 'completed' || known.executor !== undefined) return 'unchanged';
  bindExecution(tables, known, runnerName);
  tables.jobs.set(known.id, { ...known, state: 'running', executor: runnerName, startedAt: at });
  return 'changed';
}

function complete(tables: Tables, { job: draft, end }: Of<'complete'>): Change {
  const known = tables.jobs.get(draft.id) ?? newJob(draft, 'queued');
  if (known.state === 'completed') return 'unchanged';
  if (end.runnerName !== undefined) {
    bindExecution(tables, known, end.runnerName);
    // The claim that ends is that of the runner which did the work, not the one made for this job: that Pod may be busy.
    for (const claim of tables.claims.values())
      if (claim.accountId === known.accountId && claim.runnerName === end.runnerName)
        tables.claims.delete(claim.generation);
  }
  tables.jobs.set(known.id, {
    ...known,
    state: 'completed',
    conclusion: end.conclusion,
    completedAt: end.at,
    startedAt: end.startedAt,
    executor: end.runnerName,
  });
  const { startedAt, conclusion, at } = end;
  tables.told({
    kind: 'completed',
    pool: draft.pool,
    conclusion,
    queuedAt: draft.queuedAt,
    startedAt,
    at,
  });
  return 'changed';
}

function bindExecution(tables: Tables, { id, accountId }: Job, runnerName: string): void {
  for (const claim of tables.claims.values())
    if (claim.accountId === accountId && claim.runnerName === runnerName)
      tables.claims.set(claim.generation, { ...claim, executedJobId: id });
  for (const session of tables.sessions.values())
    if (session.accountId === accountId && session.runnerName === runnerName)
      tables.sessions.set(session.id, { ...session, executedJobId: id });
}

function install(tables: Tables, { account, installation }: Of<'install'>): Change {
  const same =
    isDeepStrictEqual(tables.accounts.get(account.id), account) &&
    isDeepStrictEqual(tables.installations.get(installation.id), installation);
  for (const limit of defaultLimits(account.id))
    if (tables.limitOf(limit) === undefined) tables.setLimit(limit);
  tables.accounts.set(account.id, account);
  tables.installations.set(installation.id, installation);
  return same ? 'unchanged' : 'changed';
}
