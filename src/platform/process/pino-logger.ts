/**
 * The log as lines of JSON, written synchronously, so that no line is lost in a crash. The time comes from the clock
 * of the process. Secrets and anything that could look like another line are removed.
 */
import { destination, pino } from 'pino';
import type { Clock } from '../clock.ts';
import type { LogFields, Logger, LogLevel } from '../logger.ts';
import { printableFields, printableText, type PrintableFields } from './printable.ts';

export interface PinoLoggerOptions {
  readonly clock: Clock;
  /** Lower levels are not written. */
  readonly level: LogLevel;
  readonly lines: Lines;
}

/** The destination of lines; each is complete and ends with a newline. */
export interface Lines {
  write(line: string): void;
}

/** Standard output (1) or error (2), written before the call returns. */
export function linesTo(fd: 1 | 2): Lines {
  return destination({ fd, sync: true });
}

export function pinoLogger({ clock, level, lines }: PinoLoggerOptions): Logger {
  const sink = pino(
    {
      level,
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    lines,
  );
  return new PinoLogger(sink, {});
}

type Sink = pino.Logger;

class PinoLogger implements Logger {
  readonly #sink: Sink;
  readonly #fixed: PrintableFields;

  constructor(sink: Sink, fixed: PrintableFields) {
    this.#sink = sink;
    this.#fixed = fixed;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  fatal(message: string, fields?: LogFields): void {
    this.#write('fatal', message, fields);
  }

  /** The fields are merged here, because pino would write a repeated name as two keys. */
  child(fields: LogFields): Logger {
    return new PinoLogger(this.#sink, { ...this.#fixed, ...ownNames(fields) });
  }

  #write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (!this.#sink.isLevelEnabled(level)) return;
    this.#sink[level]({ ...this.#fixed, ...ownNames(fields) }, printableText(message));
  }
}

const taken = new Set(['level', 'time', 'message']);

/** A field must not replace the level or the time of its line. */
function ownNames(fields: LogFields): PrintableFields {
  const printed = Object.entries(printableFields(fields));
  return Object.fromEntries(printed.map(([name, value]) => [taken.has(name) ? `${name}_` : name, value]));
}
