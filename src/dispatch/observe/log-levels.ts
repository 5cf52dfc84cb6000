/**
 * Log levels. Defects are warnings. Everyday conflicts between replicas, Pods and a busy GitHub are info: lost
 * preconditions, early retries, objects that are already gone, repairs without a loss.
 */
import { isFleetError, type FleetError } from '../../platform/errors/fleet-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RecoveryKind } from '../recovery/scheduler/worker.ts';

export type Say = (happened: string, about: object) => void;

export function logFailure(logger: Logger): Say {
  return (happened, about) => {
    const level = 'error' in about && isEveryday(about.error) ? 'info' : 'warn';
    logger[level](happened, { ...about });
  };
}

/** An informer lists a whole kind, so 404 means that the kind is not installed. */
export function logInformerError(logger: Logger, what: string): (error: FleetError) => void {
  const say = logFailure(logger);
  return (error) => {
    const happened = `failed to watch ${what}`;
    if (error.kind === 'gone')
      logger.warn(`${happened}: the kind is not installed in the cluster`, { error });
    else say(happened, { error });
  };
}

function isEveryday(error: unknown): boolean {
  return (['conflict', 'notYet', 'gone'] as const).some((kind) => isFleetError(error, kind));
}

/** Repairs of losses: a Pod disappeared or had to be removed, or a job was given up. */
const losses: ReadonlySet<RecoveryKind> = new Set([
  'orphaned_stamped_pod',
  'pod_missing_claim',
  'orphaned_runner_session',
  'queued_reaped',
]);

export function logRepair(logger: Logger, kind: RecoveryKind, about: object): void {
  logger[losses.has(kind) ? 'warn' : 'info']('repaired inconsistent state', { kind, ...about });
}
