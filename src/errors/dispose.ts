/** The only place where a failure turns into behaviour. */
import type { FailureKind } from './fleet-error.ts';

export interface Disposition {
  readonly requeue: 'now' | 'at-retry-time' | 'backoff' | 'on-change';
  /** Whether it stays as it is until someone acts. */
  readonly stalled: boolean;
  readonly event: 'none' | 'Normal' | 'Warning';
}

const dispositions: Readonly<Record<FailureKind, Disposition>> = {
  gone: { requeue: 'now', stalled: false, event: 'none' },
  conflict: { requeue: 'now', stalled: false, event: 'none' },
  notYet: { requeue: 'at-retry-time', stalled: false, event: 'Normal' },
  unavailable: { requeue: 'backoff', stalled: false, event: 'Warning' },
  rejected: { requeue: 'on-change', stalled: true, event: 'Warning' },
};

export function dispose(kind: FailureKind): Disposition {
  return dispositions[kind];
}
