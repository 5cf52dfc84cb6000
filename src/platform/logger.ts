/**
 * The port to the log. A message is constant and says what happened; what differs from time to time is in the fields, so
 * that the same thing can be counted and found.
 */
export interface Logger {
  /** For whoever looks for a fault: each decision, each request. Off unless asked for. */
  debug(message: string, fields?: LogFields): void;
  /** What an operator wants to have read afterwards: started, leading, stopped. */
  info(message: string, fields?: LogFields): void;
  /** Something is wrong with the world, and it is being dealt with. */
  warn(message: string, fields?: LogFields): void;
  /** Something is wrong that needs a person. */
  error(message: string, fields?: LogFields): void;
  /** A fault of our own; the process ends with it. */
  fatal(message: string, fields?: LogFields): void;
  /** One that adds these fields to every line. */
  child(fields: LogFields): Logger;
}

export type LogFields = Readonly<Record<string, unknown>>;

export const logLevels = ['debug', 'info', 'warn', 'error', 'fatal'] as const;
export type LogLevel = (typeof logLevels)[number];
