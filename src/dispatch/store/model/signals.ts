/** The signals for the autoscaler of a pool, in memory. */
import { compareAge, headroom } from '../choose-jobs.ts';
import type { Signals } from '../port.ts';
import { busyMinutes, discretePercentile, isPastCounting } from '../session-load.ts';
import type { Job } from '../rows.ts';
import type { Tables } from './tables.ts';

export function signals(tables: Tables, pool: string, at: number): Signals {
  const claims = [...tables.claims.values()].filter((claim) => claim.pool === pool);
  const sessions = [...tables.sessions.values()].filter((session) => session.pool === pool);
  const open = sessions.filter((session) => session.endedAt === undefined && !isPastCounting(session, at));
  const queued = [...tables.jobs.values()].filter((job) => job.pool === pool && job.state === 'queued');
  const admitted = [...Map.groupBy(queued, (job) => job.accountId).values()]
    .map((jobs) => Math.min(jobs.length, capacityFor(tables, jobs)))
    .reduce((sum, count) => sum + count, 0);
  return {
    claimed: claims.length,
    queued: admitted,
    withheld: queued.length - admitted,
    occupied: new Set([...claims, ...open].map((row) => row.pod.uid)).size,
    p95LastHour: discretePercentile(busyMinutes(sessions, at), 0.95),
    oldestQueuedAt: queued.toSorted(compareAge)[0]?.queuedAt,
  };
}

/** Jobs of one account in one pool have the same shape, so the oldest job represents all. */
function capacityFor(tables: Tables, jobs: readonly Job[]): number {
  const [oldest] = jobs.toSorted(compareAge);
  if (oldest === undefined || !tables.hasApp(oldest.accountId)) return 0;
  const of = { accountId: oldest.accountId, platform: oldest.shape.platform };
  return headroom(tables.limitOf(of), tables.used(of), oldest.shape);
}
