/** Warnings are for real defects, so that operators read them. */
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
])('a failure of kind %s is logged as %s', ([kind, level]) => {
  const error = new FleetError(kind, { reason: 'InternalError', message: 'a test' });
  logFailure(logger())('it could not be done', { job: '1', error });
  expect(reported).toEqual([`${level}: it could not be done (job, error)`]);
});

it.for<readonly [FailureKind, string]>([
  ['gone', 'warn: failed to watch the pools: the kind is not installed in the cluster (error)'],
  ['conflict', 'info: failed to watch the pools (error)'],
  ['unavailable', 'warn: failed to watch the pools (error)'],
])('a failure of kind %s of an informer is logged: %s', ([kind, said]) => {
  logInformerError(
    logger(),
    'the pools',
  )(new FleetError(kind, { reason: 'InternalError', message: 'a test' }));
  expect(reported).toEqual([said]);
});

it('unexpected errors and odd states without an error are warnings', () => {
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
])('a repair of kind %s is logged as %s', ([kind, level]) => {
  logRepair(logger(), kind, { jobId: '1' });
  expect(reported).toEqual([`${level}: repaired inconsistent state (kind, jobId)`]);
});
