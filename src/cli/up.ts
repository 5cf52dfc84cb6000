/**
 * `muster up`: the whole product on embedded parts, on one machine. So far that is the Kubernetes API with the kinds of
 * Muster installed; it says so, and what comes next.
 */
import { join } from 'node:path';
import { Command } from 'commander';
import type { InstalledKind } from '../apiserver/installed-kinds.ts';
import { listenOption, parseFolder, type Address } from './server-options.ts';
import type { ProcessPorts } from './process-ports.ts';

interface Options {
  readonly listen: Address;
  readonly data: string;
  readonly json?: true;
}

/** What a user is told. */
interface Started {
  readonly kubernetesApi: string;
  readonly kubeconfig: string;
  readonly data: string;
  readonly kinds: readonly InstalledKind[];
}

export function upCommand(ports: ProcessPorts): Command {
  return new Command('up')
    .description('start what there is of the product on embedded parts, and keep it running')
    .addOption(listenOption({ host: '127.0.0.1', port: 0 }))
    .option('--data <folder>', 'where the state and the kubeconfig are kept', parseFolder, '.muster')
    .option('--json', 'print what was started as JSON')
    .action((options: Options) => run(options, ports));
}

async function run({ listen, data, json }: Options, ports: ProcessPorts): Promise<void> {
  // Loaded only when it runs: the help and the other commands need none of it.
  const [{ startEmbeddedApi }, { installKinds }] = await Promise.all([
    import('./embedded-api.ts'),
    import('../apiserver/installed-kinds.ts'),
  ]);
  const kubeconfig = join(data, 'kubeconfig');
  const api = await startEmbeddedApi({ listen, data, kubeconfig }, ports);
  try {
    const kinds = installKinds(api.server);
    await api.server.durable();
    const started: Started = { kubernetesApi: api.url, kubeconfig, data, kinds };
    ports.terminal.out(json === true ? `${JSON.stringify(started, null, 2)}\n` : asText(started));
    await api.ended;
  } finally {
    await api.close();
  }
}

function asText({ kubernetesApi, kubeconfig, data, kinds }: Started): string {
  const rows = kinds.map(
    (kind) => `  ${kind.shortName.padEnd(7)} ${kind.kind.padEnd(36)} ${kind.apiVersion} (${kind.scope})`,
  );
  return [
    `Kubernetes API at ${kubernetesApi}, kept in ${data}, with the kinds of Muster:`,
    '',
    ...rows,
    '',
    'Try it:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  kubectl apply -f docs/examples/',
    '  kubectl get samm,mh,rpool',
    '',
    'Pods are scheduled and what nobody owns is collected; no controller acts on the kinds of Muster yet.',
    'What controllers will have to live through: bin/muster sim. What comes next: docs/roadmap.md',
    'Stop with Ctrl-C; the state is there again the next time.',
    '',
  ].join('\n');
}
