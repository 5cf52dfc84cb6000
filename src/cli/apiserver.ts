/** `muster apiserver`: the embedded Kubernetes API by itself, on loopback, until it is told to stop. */
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
    .option(
      '--data <folder>',
      'keep the state in this folder; without it the state ends with the process',
      parseFolder,
    )
    .option('--write-kubeconfig <file>', 'write a kubeconfig with all rights to this file')
    .option('--faults <file>', 'a drill: let go wrong what this plan says')
    .action((options: Options) => run(options, ports));
}

async function run({ listen, data, writeKubeconfig, faults }: Options, ports: ProcessPorts): Promise<void> {
  // Loaded only when it runs: the help and the other commands need none of it.
  const { startEmbeddedApi } = await import('./embedded-api.ts');
  const api = await startEmbeddedApi({ listen, data, kubeconfig: writeKubeconfig, faults }, ports);
  try {
    const place = data === undefined ? 'in memory' : `kept in ${data}`;
    const hint =
      writeKubeconfig === undefined
        ? 'Without --write-kubeconfig nobody has the key to it.'
        : `Use it:  kubectl --kubeconfig ${writeKubeconfig} get namespaces`;
    ports.terminal.out(`Kubernetes API at ${api.url}, ${place}. ${hint}\n`);
    await api.ended;
  } finally {
    await api.close();
  }
}
