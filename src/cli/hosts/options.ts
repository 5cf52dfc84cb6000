/** Options that the commands on a fleet share. */
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
    .option('--kubeconfig <file>', 'the kubeconfig to use (default: $KUBECONFIG, the Pod, ~/.kube/config)')
    .option('--context <name>', 'the context in the kubeconfig (default: its current one)');
}

/** What the manager was told and the objects do not say; without it names are judged by what is usual. */
export function withNames(command: Command): Command {
  return command
    .option('--default-adopt-pool-prefix <prefix>', 'the pool prefix that the manager runs with')
    .option('--claim-prefix <prefix>', 'what names of hosts of this cluster begin with');
}

export function withJson(command: Command): Command {
  return command.option('--json', 'print JSON instead');
}

export function withChange(command: Command): Command {
  return withCluster(command)
    .option('--yes', 'do not ask')
    .option(
      '--json',
      'print one JSON document: the plan, and with --yes what was done and what was then seen',
    )
    .addOption(
      new Option('--timeout <time>', 'how long to wait for the manager to take it up; 0s does not wait')
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

/** A reason is for the next person: one line that says something. */
export function parseReason(text: string): string {
  const line = text.trim();
  if (line === '' || /[\r\n]/.test(line) || line.length > 400)
    throw new InvalidArgumentError('It must be one line that says something, of at most 400 letters.');
  return line;
}
