/** Errors of PostgreSQL in our five kinds, judged by their SQLSTATE and by nothing else of theirs. */
import { DatabaseError } from 'pg';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { isConnectionTimeout } from './connection-timeouts.ts';

interface Moment {
  /** The verb had done all it does, and only the commit was outstanding. */
  readonly wasCommitting: boolean;
}

/** Deadlock and serialization: the server undid the whole transaction, so it may go again as if it had never been. */
const sentBack = new Set(['40P01', '40001']);
/** Somebody else holds what we need for longer than we wait for a lock or a statement. Nothing was done. */
const held = new Set(['55P03', '57014']);
/** Classes of "not now": connection, resources, operator, system; and a server that is a standby (read only). */
const unavailable = /^(08|53|57|58)|^25006$/;

export function databaseFailure(error: unknown, { wasCommitting }: Moment): unknown {
  const code = sqlState(error);
  const details = { cause: error };
  if (code !== undefined && sentBack.has(code))
    return new FleetError(
      'conflict',
      { reason: 'TransactionUndone', message: 'the database undid the transaction' },
      details,
    );
  if (code !== undefined && held.has(code))
    return new FleetError(
      'notYet',
      { reason: 'Locked', message: 'another replica is busy with the same rows' },
      details,
    );
  if (code !== undefined && !unavailable.test(code)) return error;
  if (code === undefined && !isLostConnection(error)) return error;
  if (wasCommitting)
    return new FleetError(
      'unavailable',
      { reason: 'OutcomeUnknown', message: 'the connection to the database ended during a commit' },
      details,
    );
  return new FleetError(
    'unavailable',
    { reason: 'DatabaseUnavailable', message: `the database does not answer: ${text(error)}` },
    details,
  );
}

/** The driver says so in words or with a code of the system. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isConnectionTimeout(error)) return true;
  if ('code' in error && typeof error.code === 'string' && /^E(AI_)?[A-Z]+$/.test(error.code)) return true;
  return /connection (terminated|ended)|not queryable|timeout exceeded when trying to connect/i.test(
    error.message,
  );
}

/** Only of what the server itself said: a code of the system may look the same, as `EPIPE` does. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

function text(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no reason was given';
}
