/** Warnings are for what is wrong with the world, so that somebody reads them. */
import { loggerTo } from '../../../lab/harness/logger-to.ts';
import { beforeEach, expect, it } from 'vitest';
import { FleetError, type FailureKind } from '../../platform/errors/fleet-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { RecoveryKind } from '../recovery/scheduler/worker.ts';
import { logInformerError, logFailure, logRepair } from './log-levels.ts';

let reported: string[];
beforeEach(() => {
  reported = [];
});

const logger = (): Logger =>
  loggerTo(
    ({ level, message, fields }) =>
      void reported.push(`${level}: ${message} (${Object.keys(fields).join(', ')})`),
  );

it.for<readonly [FailureKind, string]>([
  ['conflict', 'info'],
  ['notYet', 'info'],
  ['gone', 'info'],
  ['unavailable', 'warn'],
  ['rejected', 'warn'],
])('what failed as %s is told as %s', ([kind, level]) => {
  const error = new FleetError(kind, { reason: 'InternalError', message: 'a test' });
  logFailure(logger())('it could not be done', { job: '1', error });
  expect(reported).toEqual([`${level}: it could not be done (job, error)`]);
});

it.for<readonly [FailureKind, string]>([
  ['gone', 'warn: the copy of the pools has trouble: the cluster does not know the kind (error)'],
  ['conflict', 'info: the copy of the pools has trouble (error)'],
  ['unavailable', 'warn: the copy of the pools has trouble (error)'],
])('of a copy that failed as %s it is told: %s', ([kind, said]) => {
  logInformerError(
    logger(),
    'the pools',
  )(new FleetError(kind, { reason: 'InternalError', message: 'a test' }));
  expect(reported).toEqual([said]);
});

it('a fault of our own and what is odd without a failure are warnings', () => {
  logFailure(logger())('it could not be done', { error: new TypeError('a test') });
  logFailure(logger())('not one Pod is listed', {});
  expect(reported).toEqual(['warn: it could not be done (error)', 'warn: not one Pod is listed ()']);
});

it.for<readonly [RecoveryKind, string]>([
  ['redelivered', 'info'],
  ['orphan_completed', 'info'],
  ['stale_claim', 'info'],
  ['orphaned_stamped_pod', 'warn'],
  ['queued_reaped', 'warn'],
])('that %s was set right is told as %s', ([kind, level]) => {
  logRepair(logger(), kind, { jobId: '1' });
  expect(reported).toEqual([`${level}: something was set right (kind, jobId)`]);
});
