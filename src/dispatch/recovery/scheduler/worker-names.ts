/** The worker names of the recovery in settings, metrics and leases. */
export const workerNames = [
  'stale-claims',
  'completed-claims',
  'orphaned-stamped-pods',
  'orphaned-runners',
  'pod-reconciliation',
  'stale-queued-jobs',
  'webhook-redelivery',
  'queued-jobs-poll',
  'installations-look',
  'ghost-runners',
  'housekeeping',
] as const;

export type WorkerName = (typeof workerNames)[number];
