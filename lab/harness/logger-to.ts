/** The logger of tests and of the simulator: each line goes to a function. */
import type { LogFields, Logger, LogLevel } from '../../src/platform/logger.ts';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

export function loggerTo(write: (line: LogLine) => void = () => undefined): Logger {
  const at =
    (level: LogLevel): Logger['info'] =>
    (message, fields = {}) =>
      write({ level, message, fields });
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    fatal: at('fatal'),
    child: () => logger,
  };
  return logger;
}
