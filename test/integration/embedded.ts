/** `muster apiserver` as a user runs it, with real client programs. */
import { join } from 'node:path';
import { pathOf } from '../reference/bring-up.ts';
import type { Harness } from '../reference/describe-integration.ts';
import { Client } from './client.ts';

export interface Embedded {
  readonly url: string;
  readonly kubeconfig: string;
  /** The folder of the state and the keys. */
  readonly data: string;
  /** A folder for the files of the clients. */
  readonly dir: string;
  /** Returns a client program with all permissions, by its name. */
  client(name: string): Client;
}

export async function startEmbedded({ bench, workplace }: Harness): Promise<Embedded> {
  const { dir } = workplace;
  const [kubeconfig, data] = [join(dir, 'kubeconfig'), join(dir, 'data')];
  const [port = 0] = await workplace.ports(1);
  await workplace.launch({
    name: 'muster-apiserver',
    command: join(process.cwd(), 'bin', 'muster'),
    args: ['apiserver', '--listen', `127.0.0.1:${port}`, '--data', data, '--write-kubeconfig', kubeconfig],
    ports: [port],
    isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
  });
  const env = clientEnvironment(dir, kubeconfig);
  return {
    url: `https://127.0.0.1:${port}`,
    kubeconfig,
    data,
    dir,
    client: (name) => new Client({ program: pathOf(bench, name), env, unless: workplace.died }),
  };
}

/** Isolates the client from the configuration of the user who runs the tests. */
function clientEnvironment(dir: string, kubeconfig: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    HOME: dir,
    KUBECONFIG: kubeconfig,
    KUBECACHEDIR: join(dir, 'kubectl-cache'),
    HELM_CACHE_HOME: join(dir, 'helm-cache'),
    HELM_CONFIG_HOME: join(dir, 'helm-config'),
    HELM_DATA_HOME: join(dir, 'helm-data'),
  };
}
