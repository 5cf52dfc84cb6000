/** What a command that keeps running needs of the process around it; the real ones are built in src/bin only. */
import type { Clock } from '../runtime/clock.ts';
import type { Random } from '../runtime/random.ts';
import type { Terminal } from './terminal.ts';

export interface ProcessPorts {
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly random: Random;
  /** Resolves when someone asks the process to end. */
  readonly stopped: Promise<void>;
}
