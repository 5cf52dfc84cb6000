/** The embedded Kubernetes API, driven by the real helm. */
import { expect, it } from 'vitest';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import type { Client } from './client.ts';
import { startEmbedded, type Embedded } from './embedded.ts';
import { writeChart } from './helm/chart.ts';
import { documents } from './kubectl/flow.ts';
import { withToken } from './token.ts';

interface Given {
  readonly embedded: Embedded;
  readonly chart: string;
  readonly helm: Client;
  readonly kubectl: Client;
}

async function setUp(harness: Harness): Promise<Given> {
  const embedded = await startEmbedded(harness);
  const chart = await writeChart(embedded.dir);
  return { embedded, chart, helm: embedded.client('helm'), kubectl: embedded.client('kubectl') };
}

/** The stored objects of the release. */
async function state(kubectl: Client): Promise<string> {
  const [image, size] = await Promise.all([
    kubectl.ok('get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'),
    kubectl.ok('get', 'cm', 'web-settings', '-o', 'jsonpath={.data.size} {.data.revision}'),
  ]);
  return `${image} ${size}`;
}

await describeIntegration({ name: 'helm on muster apiserver', by: ['kube', 'helm'], setUp }, (given) => {
  it('a dry run on the server renders the chart and stores nothing', async () => {
    const { helm, kubectl, chart } = given();
    // A dry run needs the CRDs of the chart on the server.
    await kubectl.ok('apply', '-f', `${chart}/crds`);
    await kubectl.ok('wait', '--for=condition=Established', '--timeout=60s', '-f', `${chart}/crds`);
    const rendered = await helm.ok('install', 'web', chart, '--dry-run=server');
    expect(rendered).toContain('kind: Deployment');
    expect(
      await kubectl.ok('get', 'deploy,cm,secret', '-o', 'name', '-l', 'app.kubernetes.io/instance'),
    ).toBe('');
    await kubectl.ok('delete', '-f', `${chart}/crds`);
  });

  it('install makes everything in the chart, its CRD first, after its hook', async () => {
    const { helm, kubectl, chart } = given();
    expect(await helm.ok('install', 'web', chart)).toContain('STATUS: deployed');
    expect(await state(kubectl)).toBe('none:1 small 1');
    const made = await kubectl.ok(
      'get',
      'sa/web',
      'role/web',
      'rolebinding/web',
      'svc/web',
      'sh/web',
      '-o',
      'name',
    );
    expect(made.split('\n')).toHaveLength(5);
    expect(await kubectl.ok('get', 'cm', 'web-before', '-o', 'jsonpath={.data.revision}')).toBe('1');
    expect(await helm.ok('list', '-o', 'json')).toContain('"name":"web"');
    expect(await helm.ok('status', 'web')).toContain('REVISION: 1');
    expect(await helm.ok('get', 'manifest', 'web')).toContain('kind: RoleBinding');
  });

  it('a second install under the same name is refused', async () => {
    const { helm, chart } = given();
    expect(await helm.refused('install', 'web', chart)).toContain('cannot reuse a name that is still in use');
  });

  it('upgrade changes what the values change, and keeps what others wrote', async () => {
    const { helm, kubectl, chart } = given();
    await kubectl.ok('annotate', 'deploy', 'web', 'note=theirs');
    await helm.ok('upgrade', 'web', chart, '--set', 'image=none:2,size=large');
    expect(await state(kubectl)).toBe('none:2 large 2');
    expect(await kubectl.ok('get', 'deploy', 'web', '-o', 'jsonpath={.metadata.annotations.note}')).toBe(
      'theirs',
    );
    expect(await kubectl.ok('get', 'cm', 'web-before', '-o', 'jsonpath={.data.revision}')).toBe('2');
  });

  it('an upgrade that the server refuses is reported, and the release stays usable', async () => {
    const { helm, kubectl, chart } = given();
    expect(await helm.refused('upgrade', 'web', chart, '--set', 'replicas=-1')).toContain('spec.replicas');
    expect(await helm.ok('status', 'web')).toContain('STATUS: failed');
    await helm.ok('upgrade', 'web', chart, '--set', 'image=none:4');
    expect(await state(kubectl)).toBe('none:4 small 4');
  });

  it('rollback restores an earlier state, and history lists all revisions', async () => {
    const { helm, kubectl } = given();
    await helm.ok('rollback', 'web', '2');
    expect(await state(kubectl)).toBe('none:2 large 2');
    const history: { revision: number; status: string }[] = JSON.parse(
      await helm.ok('history', 'web', '-o', 'json'),
    );
    expect(history.map(({ revision, status }) => `${revision} ${status}`)).toEqual([
      '1 superseded',
      '2 superseded',
      '3 failed',
      '4 superseded',
      '5 deployed',
    ]);
  });

  it('uninstall removes everything but the CRD and the hook', async () => {
    const { helm, kubectl } = given();
    expect(await helm.ok('uninstall', 'web', '--wait', '--timeout=60s')).toContain('uninstalled');
    expect(
      await kubectl.ok('get', 'deploy,svc,sa,role,rolebinding,sh,secret', '-o', 'name', '--ignore-not-found'),
    ).toBe('service/kubernetes\nserviceaccount/default');
    expect(await kubectl.ok('get', 'cm', '-o', 'name')).toContain('configmap/web-before');
    expect(await kubectl.ok('get', 'crd', 'shelves.flows.muster.dev', '-o', 'name')).not.toBe('');
    expect(await helm.refused('status', 'web')).toContain('not found');
  });

  it('kubectl can apply the output of helm template', async () => {
    const { helm, kubectl, chart } = given();
    const rendered = await helm.ok('template', 'again', chart, '--no-hooks');
    const applied = await kubectl.feed(rendered, 'apply', '-f', '-');
    expect(applied.split('\n').every((line) => line.endsWith(' created'))).toBe(true);
    expect(await kubectl.feed(rendered, 'apply', '--server-side', '-f', '-')).toContain(
      'deployment.apps/again serverside-applied',
    );
  });

  it('a ServiceAccount can install only with the needed roles', async () => {
    const { helm, kubectl, chart, embedded } = given();
    await kubectl.ok('create', 'namespace', 'robots');
    await kubectl.ok('-n', 'robots', 'create', 'serviceaccount', 'deployer');
    const token = await kubectl.ok('-n', 'robots', 'create', 'token', 'deployer');
    const robot = helm.under({ KUBECONFIG: await withToken(embedded, token) }).with('-n', 'robots');
    const install = ['install', 'web', chart, '--skip-crds'];
    expect(await robot.refused(...install)).toContain('is forbidden');
    await kubectl.ok(
      '-n',
      'robots',
      'create',
      'rolebinding',
      'd',
      '--clusterrole=admin',
      '--serviceaccount=robots:deployer',
    );
    // The role covers only built-in kinds, and not custom kinds.
    expect(await robot.refused(...install)).toContain('shelves.flows.muster.dev');
    await robot.ok('uninstall', 'web', '--ignore-not-found');
    const shelves = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'shelves', labels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } },
      rules: [{ apiGroups: ['flows.muster.dev'], resources: ['shelves'], verbs: ['*'] }],
    };
    await kubectl.feed(documents(shelves), 'create', '-f', '-');
    await kubectl.ok(
      'wait',
      'clusterrole/admin',
      '--for=jsonpath={.rules[?(@.resources[0]=="shelves")].verbs[0]}=*',
      '--timeout=60s',
    );
    expect(await robot.ok(...install)).toContain('STATUS: deployed');
    expect(await robot.refused('install', 'web', chart, '--skip-crds', '-n', 'default')).toContain(
      'is forbidden',
    );
  });

  it('a chart that is only our own CRDs is installed by them', async () => {
    const { kubectl } = given();
    const applied = await kubectl.ok('apply', '-f', 'charts/muster/crds');
    expect(applied.split('\n').every((line) => line.endsWith(' created'))).toBe(true);
    await kubectl.ok('wait', '--for=condition=Established', '--timeout=60s', '-f', 'charts/muster/crds');
    expect(await kubectl.ok('get', 'rpool')).toBe('');
  });
});
