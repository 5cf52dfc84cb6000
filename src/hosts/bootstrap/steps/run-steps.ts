/**
 * Brings a host to its wanted state over one connection: each step is probed, planned, applied where something differs,
 * and proved. A host on which nothing differs gets no changing command.
 */
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { CommandResult, SshConnection } from '../ssh/port.ts';
import { agentStep } from './agent.ts';
import { firewallStep } from './firewall.ts';
import { changingScript, overtakenCode, readingScript } from './frame.ts';
import {
  parseFacts,
  type Change,
  type Facts,
  type HostConfig,
  type RunScript,
  type Script,
  type Step,
} from './step.ts';
import { sudoStep } from './sudo.ts';

/** All that a host is made of, in the order of the bootstrap. */
export const steps: readonly Step[] = [sudoStep, firewallStep, agentStep];

export interface StepReport {
  readonly step: Step['name'];
  /** What differed; empty where the step changed nothing. */
  readonly differences: readonly string[];
}

export interface StepPorts {
  readonly connection: SshConnection;
  /** Called before each step. */
  readonly onStep?: (name: Step['name']) => void;
}

const deadlineMs = 60_000;
const uploadDeadlineMs = 600_000;
const outputMax = 64 * 1024;

export async function runSteps(
  config: HostConfig,
  { connection, onStep }: StepPorts,
): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    onStep?.(step.name);
    reports.push(await runStep(step, config, connection));
  }
  return reports;
}

/** Reads only: what a bootstrap would change. */
export async function planSteps(
  config: HostConfig,
  connection: SshConnection,
): Promise<readonly StepReport[]> {
  const reports: StepReport[] = [];
  for (const step of steps) {
    const facts = await read(connection, step.probe(config));
    reports.push({ step: step.name, differences: step.plan(config, facts) });
  }
  return reports;
}

async function runStep(step: Step, config: HostConfig, connection: SshConnection): Promise<StepReport> {
  const facts = await read(connection, step.probe(config));
  const differences = step.plan(config, facts);
  if (differences.length === 0) return { step: step.name, differences };
  if (step.name === 'sudo' && config.sudoPassword === undefined)
    throw new FleetError('rejected', {
      reason: 'MissingSudoPassword',
      message: 'the host asks for a sudo password, and the provider returns none',
    });
  for (const change of step.apply(config, facts)) await makeChange(connection, change, config);
  await prove(connection, { name: step.name, script: step.prove(config, facts) }, config);
  return { step: step.name, differences };
}

async function makeChange(connection: SshConnection, change: Change, config: HostConfig): Promise<void> {
  if (change.kind === 'run') {
    await runChange(connection, change, config);
    return;
  }
  const { source, path, mode } = change;
  await connection.upload({ source, path, mode, deadlineMs: uploadDeadlineMs });
}

async function runChange(
  connection: SshConnection,
  change: RunScript,
  { fence }: HostConfig,
): Promise<CommandResult> {
  const { name, stdin, deadlineMs: ownDeadlineMs = deadlineMs } = change;
  const result = await connection.run(changingScript(change, fence), {
    name,
    ...(stdin !== undefined && { stdin }),
    deadlineMs: ownDeadlineMs,
    stdoutMax: outputMax,
    stderrMax: outputMax,
    exitCodes: [0, overtakenCode],
  });
  if (result.exitCode === overtakenCode)
    throw new FleetError('conflict', { reason: 'NotLeading', message: 'a newer leader works on this host' });
  return result;
}

/** A proof may set something up for a moment, so it compares the fence like a change. */
async function prove(
  connection: SshConnection,
  { name, script }: { readonly name: Step['name']; readonly script: Script },
  config: HostConfig,
): Promise<void> {
  const { stdout } = await runChange(connection, { kind: 'run', ...script }, config);
  const { proved = 'the proof printed nothing' } = parseFacts(stdout);
  if (proved === 'yes') return;
  throw new FleetError('unavailable', {
    reason: 'BootstrapFailed',
    message: `step ${name} has no effect: ${proved}`,
  });
}

async function read(connection: SshConnection, script: Script): Promise<Facts> {
  const options = { name: script.name, deadlineMs, stdoutMax: outputMax, stderrMax: outputMax };
  return parseFacts((await connection.run(readingScript(script), options)).stdout);
}
