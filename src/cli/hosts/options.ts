/** Options that the fleet commands share. */
import { InvalidArgumentError, Option, type Command } from 'commander';

export interface ClusterOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface ReadOptions extends ClusterOptions {
  readonly json?: true;
  readonly defaultAdoptPoolPrefix?: string;
  readonly claimPrefix?: string;
}

export interface ChangeOptions extends ClusterOptions {
  readonly yes?: true;
  readonly json?: true;
  readonly timeout: number;
  readonly defaultAdoptPoolPrefix?: string;
  readonly claimPrefix?: string;
}

export function withCluster(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'use this kubeconfig (default: $KUBECONFIG, the Pod, ~/.kube/config)')
    .option('--context <name>', 'use this context of the kubeconfig (default: its current one)');
}

/** Settings of the manager that the objects do not show. Without them the default names apply. */
export function withNames(command: Command): Command {
  return command
    .option('--default-adopt-pool-prefix <prefix>', 'assume this pool prefix of the manager')
    .option('--claim-prefix <prefix>', 'assume this claim prefix of the manager');
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON instead');
}

export function withChange(command: Command): Command {
  return withCluster(command)
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print one JSON document: the plan, and with --yes the completed steps and the result')
    .addOption(
      new Option('--timeout <time>', 'wait this long for the manager to act; 0s does not wait')
        .argParser(parseTime)
        .default(60_000, '60s'),
    );
}

const units: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

export function parseTime(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (units[unit] ?? Number.NaN);
  if (number === '' || Number.isNaN(ms)) throw new InvalidArgumentError('It must look like 30s, 5m or 1h.');
  return ms;
}

/** A reason is one nonempty line for the next operator. */
export function parseReason(text: string): string {
  const line = text.trim();
  if (line === '' || /[\r\n]/.test(line) || line.length > 400)
    throw new InvalidArgumentError('It must be one nonempty line of at most 400 letters.');
  return line;
}
