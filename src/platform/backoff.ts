/** How long to wait after failures in a row: twice as long each time, up to a limit. */
import type { Random } from './random.ts';

export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Of the last of so many failures in a row, counted from 1. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/** Between half of the wait and all of it, so that clients that failed together do not come back together. */
export function jitteredBackoffMs(backoff: Backoff, failures: number, random: Random): number {
  return backoffMs(backoff, failures) * (0.5 + random.next() / 2);
}
