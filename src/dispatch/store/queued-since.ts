/**
 * Since when a job waits for a Pod. GitHub says when a job was made, which may be days before somebody approved it, and not
 * when it was queued; so what counts is when we first heard that it is. A look at GitHub may come some minutes after a
 * webhook that was lost, and what it finds must not lose its place for that; but what is older than any look was held.
 */
import type { EnqueueEffect } from './port.ts';

/** Longer than between two looks at the same installation. */
const lookMissesMs = 3_600_000;

/** A webhook told of it, or a look found it. */
export type HeardBy = 'webhook' | 'look';

export interface QueuedSince {
  /** Of a job that we know to wait for approval. */
  readonly approved: number;
  readonly other: number;
}

export function queuedSince({ job, at = job.queuedAt }: EnqueueEffect, by: HeardBy): QueuedSince {
  const isOfLate = by === 'look' && at - job.queuedAt <= lookMissesMs;
  return { approved: at, other: isOfLate ? job.queuedAt : at };
}
