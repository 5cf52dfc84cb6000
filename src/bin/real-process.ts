/** The real process ports of `runProcess`: signals, exit, and uncaught errors. */
import type { Outside } from '../platform/process/run-process.ts';

export const realProcess: Outside = {
  onSignal: (reported) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => reported(signal));
  },
  onFault: (reported) => {
    process.on('uncaughtException', (error) => reported(error));
    process.on('unhandledRejection', (reason) => reported(reason));
  },
  exit: (code) => process.exit(code),
};
