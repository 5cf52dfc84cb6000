/** Describes an error: the code, the reason and the fields; never the text of its message. */
import { expect } from 'vitest';
import type { Response } from './target.ts';

export interface Failure {
  readonly code: number;
  readonly reason: string;
  /** The `field` of every cause, in any order; duplicates count once. */
  readonly fields?: readonly string[];
  /** The `reason` of every cause, in any order. */
  readonly causes?: readonly string[];
}

export function expectFailure(response: Response, failure: Failure): void {
  expect(response.status, JSON.stringify(response.body)).toBe(failure.code);
  expectFailureStatus(response.body, failure);
}

/** The same for a Status that is not an answer to a request, such as the object of an ERROR event. */
export function expectFailureStatus(status: unknown, { code, reason, fields, causes }: Failure): void {
  expect(status).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason });
  const named = causesIn(status);
  if (fields !== undefined) {
    const others = named.map(({ field }) => String(field)).filter((field) => field !== notAField);
    expect([...new Set(others)].toSorted()).toEqual(fields.toSorted());
  }
  if (causes !== undefined)
    expect(named.map((cause) => String(cause.reason)).toSorted()).toEqual(causes.toSorted());
}

/** The field of a cause without one, such as the note that CEL rules were skipped because the object was invalid. */
const notAField = '<nil>';

interface Cause {
  readonly field?: unknown;
  readonly reason?: unknown;
}

function causesIn(status: unknown): readonly Cause[] {
  const details = typeof status === 'object' && status !== null && 'details' in status ? status.details : {};
  const causes = typeof details === 'object' && details !== null && 'causes' in details ? details.causes : [];
  return Array.isArray(causes) ? causes : [];
}
