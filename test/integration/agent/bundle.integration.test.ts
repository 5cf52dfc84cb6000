/**
 * The bundled agent as a process on a real kube-apiserver, with the real scheduler: its Node, a Pod that it runs, and its
 * death in the middle of that Pod.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wallClock as clock } from '../../../lab/harness/wall-clock.ts';
import { bundleAgent } from '../../../scripts/bundle-agent.ts';
import { startKubeFrom } from '../../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../reference/describe-integration.ts';
import { leases, nodes, pods, serviceAccounts } from '../../../src/kube/client/builtin-resources.ts';
import { KubeClient } from '../../../src/kube/client/client.ts';
import { fixed } from '../../../src/kube/client/credential-sources.ts';
import { HttpTransport } from '../../../src/kube/client/http-transport.ts';
import { RateLimit } from '../../../src/platform/rate-limit.ts';
import { Secret } from '../../../src/platform/secret.ts';

const namespace = 'default';
const patience = { timeout: 120_000, interval: 100 };
const providerId = 'scw-applesilicon://fr-par-1/11111111-2222-4333-8444-555555555555';

interface Given {
  readonly client: KubeClient;
  readonly start: () => ChildProcess;
  readonly folder: string;
}

async function setUp({ bench, workplace }: Harness): Promise<Given> {
  const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager', 'scheduler'] });
  const { certificate: pem, key } = await kube.authority.client('test', ['system:masters']);
  const credentials = fixed({ certificate: { pem, key: new Secret(key) } });
  const connection = { server: kube.url, authority: kube.authority.certificate, credentials };
  const transport = new HttpTransport({ connection, userAgent: 'test', now: () => clock.now() });
  const limit = new RateLimit(clock, { perSecond: 1000, burst: 1000 });
  const client = new KubeClient({ transport, clock, limit, fieldManager: 'test' });
  const folder = join(workplace.dir, 'mac');
  const agent = join(folder, 'agent');
  await mkdir(join(folder, 'runner'), { recursive: true });
  await bundleAgent(agent);
  await writeProgram(agent, folder);
  const args = [
    join(agent, 'agent.mjs'),
    'agent',
    `--kubeconfig=${kube.adminKubeconfig}`,
    '--node-name=mac-1',
    '--fleet=macs',
    `--provider-id=${providerId}`,
    `--state-folder=${join(folder, 'state')}`,
    `--guest-programs=${join(agent, 'guest')}`,
    `--runner-home=${join(folder, 'runner')}`,
    '--heartbeat=1s',
    '--pass-env=NOTES',
  ];
  const env = { PATH: process.env['PATH'] ?? '', NOTES: folder };
  const start = (): ChildProcess => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'inherit', 'inherit'] });
    workplace.died.addEventListener('abort', () => void child.kill('SIGKILL'));
    return child;
  };
  return { client, start, folder };
}

/** In the place of a session that polls dispatch: a job that ends when the test says so. */
async function writeProgram(agent: string, folder: string): Promise<void> {
  const file = join(agent, 'guest', 'mac-session');
  await writeFile(
    file,
    `echo begun >> "${folder}/begun"\nwhile [ ! -e "${folder}/go" ]; do sleep 0.1; done\necho over; exit 0\n`,
  );
  await chmod(file, 0o755);
}

async function makePod(client: KubeClient, name: string): Promise<void> {
  await client.create(serviceAccounts, { namespace }, { metadata: { name } });
  const spec = {
    restartPolicy: 'Never',
    serviceAccountName: name,
    automountServiceAccountToken: false,
    nodeSelector: { 'kubernetes.io/os': 'darwin', 'tuist.dev/fleet': 'macs' },
    tolerations: [{ key: 'tuist.dev/macos', operator: 'Exists' }],
    containers: [{ name: 'runner', image: 'vm' }],
  };
  await client.create(pods, { namespace }, { metadata: { name }, spec });
}

await describeIntegration({ name: 'the bundled agent on kube-apiserver', by: 'kube', setUp }, (given) => {
  it('registers its Node, and finishes a Pod although the agent is killed in the middle', async () => {
    const { client, start, folder } = given();
    const first = start();
    const conditions = async () => (await client.find(nodes, { name: 'mac-1' }))?.status?.conditions ?? [];
    await expect.poll(conditions, patience).toHaveLength(4);
    expect((await client.get(nodes, { name: 'mac-1' })).spec?.providerID).toBe(providerId);
    const lease = { namespace: 'kube-node-lease', name: 'mac-1' };
    await expect.poll(() => client.find(leases, lease), patience).toBeDefined();

    await makePod(client, 'a');
    const phaseOf = async () => (await client.find(pods, { namespace, name: 'a' }))?.status?.phase;
    await expect.poll(phaseOf, patience).toBe('Running');
    first.kill('SIGKILL');
    await once(first, 'exit');

    const second = start();
    await writeFile(join(folder, 'go'), '');
    await expect.poll(phaseOf, patience).toBe('Succeeded');
    expect(await readFile(join(folder, 'begun'), 'utf8')).toBe('begun\n');

    const { metadata } = await client.get(pods, { namespace, name: 'a' });
    await client.delete(pods, { namespace, name: 'a' }, { uid: metadata.uid });
    await expect.poll(phaseOf, patience).toBeUndefined();
    second.kill('SIGTERM');
    expect((await once(second, 'exit'))[0]).toBe(0);
  });
});
