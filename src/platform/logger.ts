/**
 * The port to the log. A message is constant; variable parts are in the fields, so that equal messages can be counted
 * and found.
 */
export interface Logger {
  /** For debugging: each decision, each request. Off by default. */
  debug(message: string, fields?: LogFields): void;
  /** Facts that an operator reads afterwards: started, leading, stopped. */
  info(message: string, fields?: LogFields): void;
  /** An external problem that is being handled. */
  warn(message: string, fields?: LogFields): void;
  /** A problem that needs a person. */
  error(message: string, fields?: LogFields): void;
  /** An unexpected error; the process ends. */
  fatal(message: string, fields?: LogFields): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];
