/**
 * `muster up`: the whole product on embedded parts, on one machine. So far that is the Kubernetes API with the kinds of
 * Muster, a simulated Scaleway, and a manager that keeps its Macs; it says so, and what comes next.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import type { DemoFleet } from './demo-fleet.ts';
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
  readonly fleet: Pick<DemoFleet, 'cloudUrl' | 'hosts' | 'machines'>;
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
  const [{ startEmbeddedApi }, { installKinds }, { startDemoFleet }] = await Promise.all([
    import('./embedded-api.ts'),
    import('../apiserver/installed-kinds.ts'),
    import('./demo-fleet.ts'),
  ]);
  const kubeconfig = join(data, 'kubeconfig');
  const api = await startEmbeddedApi({ listen, data, kubeconfig }, ports);
  try {
    const kinds = installKinds(api.server);
    const read = (path: string): Promise<string> => readFile(path, 'utf8');
    const fleet = await startDemoFleet({ server: api.server, kubeconfig, readFile: read }, ports);
    try {
      await api.server.durable();
      const { cloudUrl, hosts, machines } = fleet;
      const started: Started = {
        kubernetesApi: api.url,
        kubeconfig,
        data,
        kinds,
        fleet: { cloudUrl, hosts, machines },
      };
      ports.terminal.out(json === true ? `${JSON.stringify(started, null, 2)}\n` : asText(started));
      await api.ended;
    } finally {
      await fleet.close();
    }
  } finally {
    await api.close();
  }
}

function asText({ kubernetesApi, kubeconfig, data, kinds, fleet }: Started): string {
  const rows = kinds.map(
    (kind) => `  ${kind.shortName.padEnd(7)} ${kind.kind.padEnd(36)} ${kind.apiVersion} (${kind.scope})`,
  );
  return [
    `Kubernetes API at ${kubernetesApi}, kept in ${data}, with the kinds of Muster:`,
    '',
    ...rows,
    '',
    `A simulated Scaleway at ${fleet.cloudUrl} with ${fleet.hosts} Macs, on which time passes 60 times as fast,`,
    `and a manager that keeps them. The machines ${fleet.machines.join(' and ')} want a host each.`,
    '',
    'Try it:',
    `  export KUBECONFIG=${kubeconfig}`,
    '  bin/muster hosts',
    '  bin/muster why machine/default/demo-1',
    '  kubectl get samm,mh --watch',
    '  kubectl delete samm demo-2        # its host is wiped, and offered again',
    '',
    'What the manager has to live through: bin/muster sim --scenario hosts. What comes next: docs/roadmap.md',
    'Stop with Ctrl-C; the state of the API is there again the next time, the simulated fleet begins anew.',
    '',
  ].join('\n');
}
