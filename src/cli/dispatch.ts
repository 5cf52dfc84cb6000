/** `muster dispatch`: webhooks, queue and registration of runners, until a signal stops the process. */
import { Command } from 'commander';
import { dispatchSettings } from '../dispatch/dispatch-settings.ts';
import { addSettings, flagsOf } from '../platform/settings/command-options.ts';
import type { ProcessPorts } from './process-ports.ts';

export function dispatchCommand(ports: ProcessPorts): Command {
  const command = new Command('dispatch').description(
    'assign GitHub jobs to runner Pods: receive webhooks, keep the queue, register runners',
  );
  return addSettings(command, dispatchSettings).action(() => run(command, ports));
}

async function run(command: Command, ports: ProcessPorts): Promise<void> {
  const { life, outside } = ports;
  if (life === undefined || outside === undefined)
    throw new Error('muster dispatch cannot run inside this process: start the command line itself');
  const { startDispatch } = await import('./start-dispatch.ts');
  const given = { flags: flagsOf(command, dispatchSettings), env: outside.env };
  await startDispatch(given, { ...ports, ...outside, life });
}
