/** The command line: all commands, one file each. */
import { agentCommand } from './agent.ts';
import { apiserverCommand } from './apiserver.ts';
import { dispatchCommand } from './dispatch.ts';
import { fleetCommands } from './hosts/commands.ts';
import { managerCommand } from './manager.ts';
import { runCommands } from './run-commands.ts';
import type { ProcessPorts } from './process-ports.ts';
import { runnerCommands } from './jobs/commands.ts';

export function runProgram(args: readonly string[], version: string, ports: ProcessPorts): Promise<number> {
  const commands = [
    managerCommand(ports),
    dispatchCommand(ports),
    agentCommand(ports),
    ...fleetCommands(ports),
    ...runnerCommands(ports),
    apiserverCommand(ports),
    ...(ports.labCommands?.(ports) ?? []),
  ];
  return runCommands(args, { version, commands, terminal: ports.terminal });
}
