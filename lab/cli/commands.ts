/** The commands of the lab: the only entry from the program into the lab. */
import type { Command } from 'commander';
import type { ProcessPorts } from '../../src/cli/process-ports.ts';
import type { Threads } from './lab-ports.ts';
import { simCommand } from './sim.ts';
import { upCommand } from './up.ts';

export function labCommands(threads?: Threads): (ports: ProcessPorts) => readonly Command[] {
  return (ports) => [upCommand(ports), simCommand({ ...ports, ...(threads !== undefined && { threads }) })];
}
