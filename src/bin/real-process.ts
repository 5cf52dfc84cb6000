/** The real signals, the real end, and what nobody caught: a process as `runProcess` wants to see it. */
import type { Outside } from '../runtime/process/run-process.ts';

export const realProcess: Outside = {
  onSignal: (told) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => told(signal));
  },
  onFault: (told) => {
    process.on('uncaughtException', (error) => told(error));
    process.on('unhandledRejection', (reason) => told(reason));
  },
  exit: (code) => process.exit(code),
};
