/** `muster apiserver --data`: after a restart the objects are there, and old credentials are valid. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { launchServer, type Server } from '../reference/launch/server.ts';
import { Client } from './client.ts';
import { withToken } from './token.ts';

interface Given {
  readonly kubectl: Client;
  /** kubectl with a token and no key. */
  readonly as: (token: string) => Promise<Client>;
  /** Runs the server until the work is done. */
  readonly serve: (work: () => Promise<void>) => Promise<void>;
}

async function setUp({ bench, workplace }: Harness): Promise<Given> {
  const { dir, died } = workplace;
  const [port = 0] = await workplace.ports(1);
  const kubeconfig = join(dir, 'kubeconfig');
  const args = ['apiserver', '--listen', `127.0.0.1:${port}`, '--data', join(dir, 'data')];
  const start = (writesKubeconfig: boolean): Promise<Server> =>
    launchServer({
      name: 'muster-apiserver',
      command: join(process.cwd(), 'bin', 'muster'),
      args: [...args, ...(writesKubeconfig ? ['--write-kubeconfig', kubeconfig] : [])],
      dir,
      ports: [port],
      unwanted: died,
      isHealthy: async (log) => (await log()).includes('Kubernetes API at'),
    });
  let isFirst = true;
  const env = { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: join(dir, 'kubectl-cache') };
  const kubectl = new Client({ program: pathOf(bench, 'kubectl'), env, unless: died });
  return {
    kubectl,
    as: async (token) => kubectl.under({ KUBECONFIG: await withToken({ kubeconfig, dir }, token) }),
    serve: async (work) => {
      const server = await start(isFirst);
      isFirst = false;
      try {
        await work();
      } finally {
        await server.stop();
      }
    },
  };
}

await describeIntegration({ name: 'muster apiserver after a restart', by: 'kube', setUp }, (given) => {
  it('has its objects, and accepts the earlier kubeconfig and tokens', async () => {
    const { kubectl, as, serve } = given();
    let [token, state] = ['', ''];
    const read = (): Promise<string> =>
      kubectl.ok('get', 'cm', 'kept', '-o', 'jsonpath={.metadata.uid} {.metadata.resourceVersion}');
    await serve(async () => {
      await kubectl.ok('create', 'configmap', 'kept', '--from-literal=a=b');
      await kubectl.ok('create', 'serviceaccount', 'robot');
      token = await kubectl.ok('create', 'token', 'robot');
      state = await read();
    });
    await serve(async () => {
      expect(await read()).toBe(state);
      const user = await (await as(token)).ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}');
      expect(user).toBe('system:serviceaccount:default:robot');
    });
  });
});
