/** Reads of the model in memory. Lists have a fixed order, so that two stores can be compared. */
import type { JobFilter, RunnerName, SessionOwner, Usage } from '../port.ts';
import { compareAge } from '../choose-jobs.ts';
import type { Account, Claim, Installation, Job, Session } from '../rows.ts';
import type { Tables } from './tables.ts';

export function jobs(tables: Tables, filter: JobFilter): readonly Job[] {
  const { pool, accountId, states, ids, queuedBefore, isNewestFirst = false, limit } = filter;
  return [...tables.jobs.values()]
    .filter(
      (job) =>
        (pool === undefined || job.pool === pool) &&
        (accountId === undefined || job.accountId === accountId) &&
        (states === undefined || states.includes(job.state)) &&
        (ids === undefined || ids.includes(job.id)) &&
        (queuedBefore === undefined || job.queuedAt < queuedBefore),
    )
    .toSorted((a, b) => (isNewestFirst ? compareAge(b, a) : compareAge(a, b)))
    .slice(0, limit);
}

export function queuedPools(tables: Tables): readonly string[] {
  const queued = [...tables.jobs.values()].filter(({ state }) => state === 'queued');
  return [...new Set(queued.map(({ pool }) => pool))].toSorted();
}

export function claims(tables: Tables): readonly Claim[] {
  return sorted(tables.claims.values(), (claim) => claim.generation);
}

export function openSessions(tables: Tables): readonly Session[] {
  const open = [...tables.sessions.values()].filter(({ endedAt }) => endedAt === undefined);
  return sorted(open, (session) => session.id);
}

export function lastSession(tables: Tables, of: SessionOwner): Session | undefined {
  const own = [...tables.sessions.values()].filter(({ pod }) =>
    'podUid' in of ? pod.uid === of.podUid : pod.name === of.podName,
  );
  return sorted(own, (session) => session.id)
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .at(-1);
}

export function sessionsOf(tables: Tables, runners: readonly RunnerName[]): readonly Session[] {
  const own = [...tables.sessions.values()].filter((session) =>
    runners.some((one) => one.accountId === session.accountId && one.runnerName === session.runnerName),
  );
  return sorted(own, (session) => session.id);
}

export function accounts(tables: Tables): readonly Account[] {
  return sorted(tables.accounts.values(), (account) => account.id);
}

export function installations(tables: Tables): readonly Installation[] {
  return sorted(tables.installations.values(), (installation) => installation.id);
}

export function usage(tables: Tables): readonly Usage[] {
  return sorted(tables.limits.values(), (limit) => `${limit.accountId} ${limit.platform}`).map((limit) => {
    const { vcpus, memoryGb } = tables.used(limit);
    return { ...limit, usedVcpus: vcpus, usedMemoryGb: memoryGb };
  });
}

function sorted<R>(rows: Iterable<R>, key: (row: R) => string): readonly R[] {
  return [...rows].toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
}
