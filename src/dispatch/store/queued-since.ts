/**
 * Decides since when a job waits for a Pod. GitHub reports when a job was created, which may be days before an
 * approval, and not when it was queued. So the time counts when the job was first reported as queued. A poll of GitHub
 * may find a job minutes after its webhook was lost, and the job must not lose its place for that. But a job older than
 * the longest gap between polls was held back by an approval.
 */
import type { EnqueueEffect } from './port.ts';

/** Longer than the time between two polls of the same installation. */
const lookMissesMs = 3_600_000;

/** Whether a webhook or a poll of GitHub reported the job. */
export type HeardBy = 'webhook' | 'look';

export interface QueuedSince {
  /** For a job that is stored as waiting for approval. */
  readonly approved: number;
  readonly other: number;
}

export function queuedSince({ job, at = job.queuedAt }: EnqueueEffect, by: HeardBy): QueuedSince {
  const isOfLate = by === 'look' && at - job.queuedAt <= lookMissesMs;
  return { approved: at, other: isOfLate ? job.queuedAt : at };
}
