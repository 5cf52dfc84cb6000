/** Reads the manager's report of an ended Pod. The report is untrusted: the log of a job may contain anything. */
import { z } from 'zod';
import { withoutSecrets } from '../../platform/process/secret-words.ts';
import type { Ending } from '../store/rows.ts';

export interface StoppedReport {
  readonly podName: string;
  /** If missing, the Pod is found by its name. */
  readonly podUid: string | undefined;
  readonly endedAt: number;
  readonly ending: Ending | undefined;
}

const logMaxBytes = 64 * 1024;
const logMaxLines = 200;
const reasonMax = 200;

/** A valid Kubernetes name. */
export const kubeName = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/);
const orNothing = <T extends z.ZodType>(schema: T) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Unknown fields are ignored: the manager may be newer than this dispatch. */
export const stoppedReport = z.object({
  pod_name: kubeName,
  pod_uid: orNothing(z.string().regex(/^[\x20-\x7e]{1,100}$/)),
  ended_at: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
  exit_code: orNothing(z.int32()),
  reason: orNothing(z.string()),
  log_tail: orNothing(z.string()),
});

/** What is wrong with a body. Quotes nothing from the body, which may hold secrets. */
export interface Unreadable {
  readonly problem: string;
}

/** Parses a report. A time in the future counts as now. */
export function readStopped(body: Uint8Array, now: number): StoppedReport | Unreadable {
  const read = stoppedReport.safeParse(jsonIn(body));
  if (!read.success) {
    const [field] = read.error.issues[0]?.path ?? [];
    return {
      problem: field === undefined ? 'the body is not a JSON object' : `${String(field)} is missing or wrong`,
    };
  }
  const { pod_name: podName, pod_uid: podUid, ended_at: endedAt } = read.data;
  return { podName, podUid, endedAt: Math.min(endedAt, now), ending: endingOf(read.data) };
}

function endingOf({
  exit_code: exitCode,
  reason,
  log_tail: log,
}: z.infer<typeof stoppedReport>): Ending | undefined {
  if (exitCode === undefined && reason === undefined && log === undefined) return undefined;
  return { exitCode, reason: printable(reason ?? '').slice(0, reasonMax), logTail: tailOf(log ?? '') };
}

/**
 * PostgreSQL refuses NUL, a terminal must not obey control characters, and no secret of a job is stored. Filter the
 * whole text before cutting: half of a token no longer looks like a token.
 */
function printable(text: string): string {
  return withoutSecrets(text.replaceAll(/[^\P{Cc}\n\t]/gu, ' '));
}

/** Keeps the end of the log, which says most about the failure. */
function tailOf(log: string): string {
  const lines = printable(log).split('\n').slice(-logMaxLines).join('\n');
  const bytes = new TextEncoder().encode(lines);
  if (bytes.length <= logMaxBytes) return lines;
  // Drop the remains of a character that was cut.
  return new TextDecoder().decode(bytes.slice(-logMaxBytes)).replace(/^\uFFFD+/, '');
}

function jsonIn(body: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return value;
  } catch (error) {
    return String(error);
  }
}
