import { DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import { databaseFailure } from './failure.ts';

function evaluated(error: Error, wasCommitting = false): string {
  const failure = databaseFailure(error, { wasCommitting });
  return isFleetError(failure) ? `${failure.kind} ${failure.reason}` : 'as it was';
}

/** As the system says it of a socket, or of a name. */
function ofSystem(code: string): Error {
  return Object.assign(new Error(`write ${code}`), { code });
}

function ofServer(code: string): Error {
  return Object.assign(new DatabaseError(`says ${code}`, 0, 'error'), { code, severity: 'ERROR' });
}

it.for(['EPIPE', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a connection that ended with %s is lost, and what became of a commit on it is unknown',
  (code) => {
    expect(evaluated(ofSystem(code))).toBe('unavailable DatabaseUnavailable');
    expect(evaluated(ofSystem(code), true)).toBe('unavailable OutcomeUnknown');
  },
);

it.for([
  ['40P01', 'conflict TransactionUndone'],
  ['55P03', 'notYet Locked'],
  ['57P01', 'unavailable DatabaseUnavailable'],
  ['23505', 'as it was'],
  ['XX000', 'as it was'],
] as const)('the server says %s, which is: %s', ([code, kind]) => {
  expect(evaluated(ofServer(code))).toBe(kind);
});

it('an error of ours stays what it is', () => {
  expect(evaluated(new TypeError('a mistake'))).toBe('as it was');
});
