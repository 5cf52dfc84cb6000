/** `muster apiserver`: the embedded Kubernetes API by itself, on loopback, until a signal stops the process. */
import { Command } from 'commander';
import { listenOption, parseFolder, type Address } from './server-options.ts';
import type { ProcessPorts } from './process-ports.ts';

interface Options {
  readonly listen: Address;
  readonly data?: string;
  readonly writeKubeconfig?: string;
  readonly faults?: string;
}

export function apiserverCommand(ports: ProcessPorts): Command {
  return new Command('apiserver')
    .description('run the embedded Kubernetes API alone')
    .addOption(listenOption({ host: '127.0.0.1', port: 6443 }))
    .option('--data <folder>', 'keep the state in this folder (default: in memory only)', parseFolder)
    .option('--write-kubeconfig <file>', 'write a kubeconfig with all rights to this file')
    .option('--faults <file>', 'run a drill: inject the faults of this plan')
    .action((options: Options) => run(options, ports));
}

async function run({ listen, data, writeKubeconfig, faults }: Options, ports: ProcessPorts): Promise<void> {
  // Imported lazily: the help and the other commands do not need the server.
  const { startEmbeddedApi } = await import('./embedded-api.ts');
  const api = await startEmbeddedApi({ listen, data, kubeconfig: writeKubeconfig, faults }, ports);
  try {
    const place = data === undefined ? 'in memory' : `kept in ${data}`;
    const hint =
      writeKubeconfig === undefined
        ? 'No kubeconfig was written; to get access, start with --write-kubeconfig FILE.'
        : `Use it:  kubectl --kubeconfig ${writeKubeconfig} get namespaces`;
    ports.terminal.out(`Kubernetes API at ${api.url}, ${place}. ${hint}\n`);
    await api.ended;
  } finally {
    await api.close();
  }
}
