/**
 * A fleet as the chart installs it, under the real Cluster API core on a real kube-apiserver, with the manager of the
 * chart and a simulated Scaleway. Its objects are accepted, its machines get hosts, a changed template replaces no
 * machine by itself, and the permissions of the chart are enough for a drain.
 */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Client } from '../integration/client.ts';
import { documents } from '../integration/kubectl/flow.ts';
import { withToken } from '../integration/token.ts';
import { pathOf, startClusterApiFrom, startKubeFrom } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import type { Kube } from '../reference/launch/kube.ts';
import { runCommand } from '../reference/run-command.ts';
import { startInstalled, type InstalledManager } from './installed-manager.ts';
import { chartFolder, containerOf, helmAlone } from './rendered.ts';

interface Given {
  readonly kube: Kube;
  readonly helm: Client;
  readonly manager: InstalledManager;
  readonly ask: (words: readonly string[], input?: string) => Promise<string>;
}

const waiting = '--timeout=120s';
const fleet = 'md/ci-muster-macos-fleet';
const values =
  'capi.enabled=true,macosFleet.enabled=true,macosFleet.replicas=2,macosFleet.adoptPoolPrefix=tuist-pool-';

async function setUp(harness: Harness): Promise<Given> {
  const { bench, workplace } = harness;
  const kube = await startKubeFrom(bench, { workplace, alsoRun: ['controller-manager'] });
  await startClusterApiFrom(bench, workplace, kube);
  const helm = helmAlone(harness).under({ KUBECONFIG: kube.adminKubeconfig }).with('-n', 'fleet');
  await helm.ok('install', 'ci', chartFolder, '--create-namespace', '--set', values);
  const ask = (words: readonly string[], input?: string) =>
    kube.mustKubectl(['-n', 'fleet', ...words], input);
  const place = { kubeconfig: kube.adminKubeconfig, dir: workplace.dir };
  await ask(['wait', 'secret/ci-muster-capi-remote-token', '--for=jsonpath={.data.token}', waiting]);
  await makeRemoteKubeconfig(harness, kube);
  const token = await ask(['create', 'token', 'ci-muster-manager']);
  const deployed: unknown = JSON.parse(await ask(['get', 'deployment', 'ci-muster-manager', '-o', 'json']));
  const kubeconfig = await withToken(place, token.trim());
  return { kube, helm, ask, manager: await startInstalled({ args: containerOf(deployed).args, kubeconfig }) };
}

/** The commands of docs/installing.md, verbatim except for names and the reachable address. */
async function makeRemoteKubeconfig({ bench, workplace }: Harness, kube: Kube): Promise<void> {
  const page = await readFile('docs/installing.md', 'utf8');
  const block = /```sh\n(cluster=muster-capi\n[^]*?)```/.exec(page)?.[1] ?? '';
  const script = block
    .replace('cluster=muster-capi', 'cluster=ci-muster-capi')
    .replaceAll('muster-system', 'fleet')
    .replace(/^server=.*$/m, `server=${kube.url}`);
  const path = `${dirname(pathOf(bench, 'kubectl'))}:${process.env['PATH'] ?? ''}`;
  const env = { ...process.env, PATH: path, KUBECONFIG: kube.adminKubeconfig };
  const ran = await runCommand('bash', ['-euo', 'pipefail', '-c', script], { cwd: workplace.dir, env });
  expect(ran).toMatchObject({ status: 0 });
}

/** A Node as an agent would report it. */
function nodeOf(name: string, providerID: string): object {
  const good = { Ready: 'True', MemoryPressure: 'False', DiskPressure: 'False', PIDPressure: 'False' };
  const conditions = Object.entries(good).map(([type, status]) => ({ type, status }));
  return { apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { providerID }, status: { conditions } };
}

/** One line for each Machine. */
function machines(ask: Given['ask'], path: string): Promise<string> {
  return ask(['get', 'machines', '-o', `jsonpath={range .items[*]}${path}{"\\n"}{end}`]);
}

const suite = { name: 'a fleet of the chart under the real core', by: ['capi', 'helm'], setUp } as const;

await describeIntegration(suite, (given) => {
  afterAll(() => given().manager.stop());

  it('a real server has the policy and the budget of the manager', async () => {
    const names = await given().ask(['get', 'networkpolicies,poddisruptionbudgets', '-o', 'name']);
    expect(names.trim().split('\n')).toEqual([
      'networkpolicy.networking.k8s.io/ci-muster-manager',
      'poddisruptionbudget.policy/ci-muster-manager',
    ]);
  });

  it('machines get hosts, and the fleet is Available with their Nodes', async () => {
    const { ask, kube } = given();
    await ask(['wait', fleet, '--for=jsonpath={.status.replicas}=2', waiting]);
    await ask(['wait', 'machines', '--all', '--for=jsonpath={.status.phase}=Provisioned', waiting]);
    const lines = (await machines(ask, '{.metadata.name} {.spec.providerID}')).trim().split('\n');
    const nodes = lines.map((line) => line.split(' ')).map(([name = '', id = '']) => nodeOf(name, id));
    await kube.mustKubectl(['create', '-f', '-'], documents(...nodes));
    await ask(['wait', fleet, '--for=condition=Available', waiting]);
    const cluster = await ask(['wait', 'cluster/ci-muster-capi', '--for=condition=Available', waiting]);
    expect(cluster).toContain('condition met');
  });

  it('a changed spec makes another template; the machines stay until they are deleted', async () => {
    const { ask, helm } = given();
    const uids = await machines(ask, '{.metadata.uid}');
    const set = `${values},macosFleet.machine.hostCPU=10`;
    await helm.ok('upgrade', 'ci', chartFolder, '--set', set);
    await ask(['wait', 'machines', '--all', '--for=condition=UpToDate=False', waiting]);
    expect(await machines(ask, '{.metadata.uid}')).toBe(uids);
    const templates = await ask(['get', 'scalewayapplesiliconmachinetemplates', '-o', 'name']);
    expect(templates.trim().split('\n')).toHaveLength(2);
  });

  it('a rollback uses the kept template again', async () => {
    const { ask, helm } = given();
    await helm.ok('rollback', 'ci', '1');
    const current = await ask(['wait', 'machines', '--all', '--for=condition=UpToDate', waiting]);
    expect(current.trim().split('\n')).toHaveLength(2);
  });

  it('on scale-down the Nodes are drained and deleted with the permissions of the chart', async () => {
    const { ask, helm, kube } = given();
    await helm.ok('upgrade', 'ci', chartFolder, '--set', `${values},macosFleet.replicas=0`);
    await ask(['wait', 'machines', '--all', '--for=delete', waiting]);
    expect(await kube.mustKubectl(['get', 'nodes', '-o', 'name'])).toBe('');
  });
});
