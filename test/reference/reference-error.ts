/**
 * An obstacle between a suite and a reference program that a person can remove. The error always has a remedy, and is
 * printed as two lines, never as a stack trace.
 */
export class MissingReferenceError extends Error {
  readonly next: string;

  constructor(message: string, next: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MissingReferenceError';
    this.next = next;
  }
}

/** The text for a person. Any other error is a bug of ours and keeps its stack. */
export function explain(error: unknown): string {
  if (error instanceof MissingReferenceError) return `error: ${error.message}\n  next: ${error.next}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
