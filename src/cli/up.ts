/** `muster up`: the whole product on embedded parts. It starts what exists so far, and says what that is. */
import { Command } from 'commander';
import { kinds } from '../api/kinds.ts';
import type { Terminal } from './terminal.ts';

export function upCommand(terminal: Terminal): Command {
  return new Command('up')
    .description('start what there is of the product on embedded parts, and say what that is')
    .option('--json', 'print what was started as JSON')
    .action((options: { json?: true }) => terminal.out(options.json === true ? asJson() : asText()));
}

interface Served {
  readonly kind: string;
  readonly apiVersion: string;
  readonly shortName: string;
  readonly scope: string;
}

function served(): readonly Served[] {
  return kinds.map((kind) => ({
    kind: kind.kind,
    apiVersion: `${kind.group}/${kind.version}`,
    shortName: kind.shortName,
    scope: kind.scope,
  }));
}

function asJson(): string {
  return `${JSON.stringify({ processes: [], kinds: served() }, null, 2)}\n`;
}

function asText(): string {
  const rows = served().map(
    (kind) => `  ${kind.shortName.padEnd(7)} ${kind.kind.padEnd(36)} ${kind.apiVersion} (${kind.scope})`,
  );
  return [
    'No process is started: this version defines the vocabulary of Muster, and no controller yet.',
    '',
    'Kinds:',
    ...rows,
    '',
    'Install them on a cluster:  kubectl apply -f charts/muster/crds',
    'Read about them:            docs/reference/README.md',
    'What comes next:            docs/roadmap.md',
    '',
  ].join('\n');
}
