/** `muster agent`: makes this machine a Node and runs the Pods bound to it, until a signal stops the process. */
import { Command } from 'commander';
import { agentSettings } from '../agent/agent-settings.ts';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import type { ProcessPorts } from './process-ports.ts';

export function agentCommand(ports: ProcessPorts): Command {
  const command = new Command('agent').description(
    'make this machine a Kubernetes Node and run the Pods bound to it',
  );
  return addSettings(command, agentSettings).action(() => run(command, ports));
}

async function run(command: Command, ports: ProcessPorts): Promise<void> {
  const { life, outside } = ports;
  if (life === undefined || outside === undefined)
    throw new Error('muster agent cannot run inside this process: start the command line itself');
  const { startAgent } = await import('./start-agent.ts');
  const given = { flags: flagsOf(command, agentSettings), env: outside.env };
  await startAgent(given, { ...ports, ...outside, life });
}
