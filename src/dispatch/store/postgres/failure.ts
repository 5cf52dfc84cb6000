/** Maps errors of PostgreSQL to the five failure kinds, by SQLSTATE only. */
import { DatabaseError } from 'pg';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import { isConnectionTimeout } from './connection-timeouts.ts';

interface Moment {
  /** All statements were done, and only the commit was pending. */
  readonly wasCommitting: boolean;
}

/** Deadlock and serialization failure: the server rolled back the whole transaction, so it may be retried. */
const sentBack = new Set(['40P01', '40001']);
/** Lock or statement timeout. Nothing was done. */
const held = new Set(['55P03', '57014']);
/** Temporary classes: connection, resources, operator intervention, system; and a standby server (read only). */
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

/** The driver reports a lost connection by text or by a system error code. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (isConnectionTimeout(error)) return true;
  if ('code' in error && typeof error.code === 'string' && /^E(AI_)?[A-Z]+$/.test(error.code)) return true;
  return /connection (terminated|ended)|not queryable|timeout exceeded when trying to connect/i.test(
    error.message,
  );
}

/** Only for errors of the server: a system error code such as `EPIPE` may look the same. */
function sqlState(error: unknown): string | undefined {
  return error instanceof DatabaseError ? error.code : undefined;
}

function text(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'no reason was given';
}
