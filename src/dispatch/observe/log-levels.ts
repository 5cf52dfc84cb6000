/**
 * How loud things are told. What is wrong with the world is a warning. What happens every day where several replicas, Pods and
 * a busy GitHub meet is not: who was overtaken, who came too early, what is gone by now, what was set right without a loss.
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

/** A copy asks for all objects of a kind, so what is gone here is the kind itself: somebody has to install it. */
export function logInformerError(logger: Logger, what: string): (error: FleetError) => void {
  const say = logFailure(logger);
  return (error) => {
    const happened = `the copy of ${what} has trouble`;
    if (error.kind === 'gone') logger.warn(`${happened}: the cluster does not know the kind`, { error });
    else say(happened, { error });
  };
}

function isEveryday(error: unknown): boolean {
  return (['conflict', 'notYet', 'gone'] as const).some((kind) => isFleetError(error, kind));
}

/** A Pod was lost without a word or had to be removed, or a job was given up. */
const losses: ReadonlySet<RecoveryKind> = new Set([
  'orphaned_stamped_pod',
  'pod_missing_claim',
  'orphaned_runner_session',
  'queued_reaped',
]);

export function logRepair(logger: Logger, kind: RecoveryKind, about: object): void {
  logger[losses.has(kind) ? 'warn' : 'info']('something was set right', { kind, ...about });
}
