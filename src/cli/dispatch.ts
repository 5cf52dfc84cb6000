/** `muster dispatch`: webhooks, queue and registration of runners, until it is told to stop. */
import { Command } from 'commander';
import { dispatchSettings } from '../dispatch/dispatch-settings.ts';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import type { ProcessPorts } from './process-ports.ts';

export function dispatchCommand(ports: ProcessPorts): Command {
  const command = new Command('dispatch').description(
    'hand jobs of GitHub to runner Pods: webhooks, queue, claims; any number of replicas',
  );
  return addSettings(command, dispatchSettings).action(() => run(command, ports));
}

async function run(command: Command, ports: ProcessPorts): Promise<void> {
  const { life, outside } = ports;
  if (life === undefined || outside === undefined) throw new Error('dispatch needs a process of its own');
  const { startDispatch } = await import('./start-dispatch.ts');
  const given = { flags: flagsOf(command, dispatchSettings), env: outside.env };
  await startDispatch(given, { ...ports, ...outside, life });
}
