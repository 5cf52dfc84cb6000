/**
 * Why a journal could not be opened or written, for an operator. Errors name files, resources and keys, and never the
 * content of objects, which may be Secrets.
 */
export type JournalTrouble = 'InUse' | 'NewerFormat' | 'Damaged' | 'CannotOpen' | 'WriteFailed';

const nextSteps: Readonly<Record<JournalTrouble, string>> = {
  InUse: 'Stop the other process, or give this one a directory of its own',
  NewerFormat: 'Run the version that wrote it, or a later one; nothing was changed',
  Damaged:
    'Nothing was changed. Keep a copy of the directory, then put back a backup, or move it away to start empty',
  CannotOpen: 'Let this user read and write the directory, and see that its disk works and has room',
  WriteFailed:
    'This process must stop: its memory is ahead of its disk. Make room or repair the disk, then start it again',
};

export class JournalError extends Error {
  readonly trouble: JournalTrouble;
  readonly next: string;

  constructor(trouble: JournalTrouble, wrong: string, options?: ErrorOptions) {
    const next = nextSteps[trouble];
    super(`${wrong}. ${next}.`, options);
    this.name = 'JournalError';
    this.trouble = trouble;
    this.next = next;
  }
}

/** The primary SQLite result codes about the file, not about the machine. */
const troubleByCode: ReadonlyMap<number | undefined, JournalTrouble> = new Map([
  [1, 'Damaged'], // SQLITE_ERROR: the statement does not fit what is in the file
  [5, 'InUse'], // SQLITE_BUSY
  [11, 'Damaged'], // SQLITE_CORRUPT
  [26, 'Damaged'], // SQLITE_NOTADB
]);

/** Translates an error of SQLite or of the file system at the opening of the store at `path`. */
export function openingError(path: string, cause: unknown): JournalError {
  if (cause instanceof JournalError) return cause;
  const trouble = troubleByCode.get(resultCode(cause)) ?? 'CannotOpen';
  return new JournalError(trouble, `the store ${path} cannot be opened: ${messageOf(cause)}`, { cause });
}

export function writingError(path: string, cause: unknown): JournalError {
  return new JournalError('WriteFailed', `the store ${path} cannot be written: ${messageOf(cause)}`, {
    cause,
  });
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  // The higher bits only refine the code.
  return error.errcode & 0xff;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
