import { DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { databaseFailure } from './failure.ts';

function evaluated(error: Error, wasCommitting = false): string {
  const failure = databaseFailure(error, { wasCommitting });
  return isFleetError(failure) ? `${failure.kind} ${failure.reason}` : 'unchanged';
}

/** A system error of a socket or a name lookup. */
function ofSystem(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

function ofServer(code: string): Error {
  return Object.assign(new DatabaseError(`says ${code}`, 0, 'error'), { code, severity: 'ERROR' });
}

it.for(['EPIPE', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a connection that ended with %s is lost, and the outcome of its commit is unknown',
  (code) => {
    expect(evaluated(ofSystem(code))).toBe('unavailable DatabaseUnavailable');
    expect(evaluated(ofSystem(code), true)).toBe('unavailable OutcomeUnknown');
  },
);

it.for([
  ['40P01', 'conflict TransactionUndone'],
  ['55P03', 'notYet Locked'],
  ['57P01', 'unavailable DatabaseUnavailable'],
  ['23505', 'unchanged'],
  ['XX000', 'unchanged'],
] as const)('the server says %s, which is: %s', ([code, kind]) => {
  expect(evaluated(ofServer(code))).toBe(kind);
});

it('an error that is not from PostgreSQL stays unchanged', () => {
  expect(evaluated(new TypeError('a mistake'))).toBe('unchanged');
});
