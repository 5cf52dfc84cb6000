/**
 * An obstacle between a suite and a real program that a person can remove.
 * It always carries the next step, and is printed as two lines, never as a stack trace.
 */
export class MissingReferenceError extends Error {
  readonly next: string;

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JudgeError';
    this.next = next;
  }
}

/** What a person reads. Anything that is not a MissingReferenceError is our own fault and keeps its stack. */
export function explain(error: unknown): string {
  if (error instanceof MissingReferenceError) return `error: ${error.message}\n  next: ${error.next}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
