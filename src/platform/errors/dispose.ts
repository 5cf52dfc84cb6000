/** The only place that maps a failure kind to behavior. */
import type { FailureKind } from './fleet-error.ts';

export interface Disposition {
  /**
   * `slow-retry`: a person or a changed object must help first. Changes of rights and schemas send no notice, so a slow
   * retry stays.
   */
  readonly requeue: 'now' | 'at-retry-time' | 'backoff' | 'slow-retry';
  /** Whether the object stays in this state until a person acts. */
  readonly stalled: boolean;
  readonly event: 'none' | 'Normal' | 'Warning';
}

const dispositions: Readonly<Record<FailureKind, Disposition>> = {
  gone: { requeue: 'now', stalled: false, event: 'none' },
  conflict: { requeue: 'now', stalled: false, event: 'none' },
  notYet: { requeue: 'at-retry-time', stalled: false, event: 'Normal' },
  unavailable: { requeue: 'backoff', stalled: false, event: 'Warning' },
  rejected: { requeue: 'slow-retry', stalled: true, event: 'Warning' },
};

export function dispose(kind: FailureKind): Disposition {
  return dispositions[kind];
}
