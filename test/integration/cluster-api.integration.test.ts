/**
 * The embedded Kubernetes API under the real Cluster API: its CRDs, and its core manager. The tests are the life of one
 * cluster; each test continues where the previous one ended. The webhooks of the manager are not called.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAuthority } from '../../src/embedded/kubernetes-api/http/certificates.ts';
import { pathOf } from '../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../reference/describe-integration.ts';
import { launchManager } from '../reference/launch/cluster-api.ts';
import { anyRandom, wallClock } from '../../lab/harness/wall-clock.ts';
import type { Client } from './client.ts';
import {
  clusterManifests,
  reportCluster,
  reportMachine,
  tinyDefinitions,
} from './cluster-api/tiny-provider.ts';
import { startEmbedded, type Embedded } from './embedded.ts';
import { documents } from './kubectl/flow.ts';

interface Given {
  readonly embedded: Embedded;
  readonly kubectl: Client;
  readonly definitions: readonly string[];
  startManager(): Promise<void>;
}

const timeout = '--timeout=200s';

async function setUp(harness: Harness): Promise<Given> {
  const { bench, workplace } = harness;
  const embedded = await startEmbedded(harness);
  const entry = bench.get('cluster-api')?.entry?.dir ?? '';
  return {
    embedded,
    kubectl: embedded.client('kubectl'),
    definitions: ['crds', 'bootstrap-crds', 'control-plane-crds'].map((folder) => join(entry, folder)),
    startManager: async () => {
      const authority = await createAuthority({ clock: wallClock, random: anyRandom });
      const [webhookPort = 0] = await workplace.ports(1);
      await launchManager(workplace, {
        program: pathOf(bench, 'cluster-api'),
        kubeconfig: embedded.kubeconfig,
        webhookPort,
        serving: await authority.serving(),
      });
    },
  };
}

async function machines(kubectl: Client): Promise<readonly string[]> {
  const names = await kubectl.ok('get', 'machines', '--sort-by=.metadata.creationTimestamp', '-o', 'name');
  return names.split('\n').flatMap((name) => name.split('/')[1] ?? []);
}

/** The replica count may lag behind a deletion: list the machines instead. */
async function bothMachines(kubectl: Client): Promise<readonly string[]> {
  for (;;) {
    const all = await machines(kubectl);
    if (all.length === 2) return all;
  }
}

/** Waits until the machine has this event. */
async function untilReported(kubectl: Client, machine: string, event: string): Promise<void> {
  const reported = kubectl.follow('events', '--for', `machine/${machine}`, '--watch');
  while (!(await reported.next()).includes(event));
  await reported.stop();
}

async function reportMachines(kubectl: Client): Promise<void> {
  const all = await bothMachines(kubectl);
  const nodes = await kubectl.ok('get', 'nodes', '-o', 'name');
  for (const name of all.filter((one) => !nodes.split('\n').includes(`node/${one}`))) {
    await kubectl.ok('wait', `tinymachine/${name}`, '--for=create', timeout);
    await reportMachine(kubectl, name);
  }
}

await describeIntegration({ name: 'Cluster API on muster apiserver', by: 'capi', setUp }, (given) => {
  it('takes the CRDs of core, bootstrap and control plane, and serves them', async () => {
    const { kubectl, definitions } = given();
    const files = definitions.flatMap((folder) => ['-f', folder]);
    expect((await kubectl.ok('create', ...files)).split('\n')).toHaveLength(17);
    await kubectl.feed(documents(...tinyDefinitions), 'create', '-f', '-');
    const waited = await kubectl.ok('wait', '--for=condition=Established', timeout, 'crd', '--all');
    expect(waited.split('\n').filter((line) => line.endsWith('condition met'))).toHaveLength(21);
  });

  it('keeps a cluster and its machines, and serves them in both versions', async () => {
    const { kubectl, embedded } = given();
    await kubectl.feed(await clusterManifests(embedded, 2), 'create', '-f', '-');
    for (const version of ['v1beta1', 'v1beta2'])
      for (const [kind, plural, name] of [
        ['Cluster', 'clusters', 'tiny'],
        ['MachineDeployment', 'machinedeployments', 'pool'],
      ] as const)
        expect(await kubectl.json('get', `${plural}.${version}.cluster.x-k8s.io`, name)).toMatchObject({
          apiVersion: `cluster.x-k8s.io/${version}`,
          kind,
          metadata: { name },
        });
    const wrong = [
      'patch',
      'machinedeployment',
      'pool',
      '--type=merge',
      '-p',
      '{"spec":{"clusterName":null}}',
    ];
    expect(await kubectl.refused(...wrong)).toContain('spec.clusterName: Required value');
  });

  it('starts the manager, with all its controllers', async () => {
    await expect(given().startManager()).resolves.toBeUndefined();
  });

  it('a MachineDeployment becomes a MachineSet, and that becomes machines that belong to it', async () => {
    const { kubectl } = given();
    await reportCluster(kubectl);
    // The condition is written once and may have an earlier generation, so that `kubectl wait` would never end.
    const initialized = '--for=jsonpath={.status.initialization.controlPlaneInitialized}=true';
    await kubectl.ok('wait', 'cluster/tiny', initialized, timeout);
    await kubectl.ok('wait', 'machinedeployment/pool', '--for=jsonpath={.status.replicas}=2', timeout);
    const set = await kubectl.ok('get', 'machinesets', '-o', 'jsonpath={.items[*].metadata.name}');
    for (const name of await machines(kubectl)) {
      const owner = { kind: 'MachineSet', name: set, controller: true, blockOwnerDeletion: true };
      expect(await kubectl.json('get', 'machine', name)).toMatchObject({
        metadata: { finalizers: ['machine.cluster.x-k8s.io'], ownerReferences: [owner] },
      });
      await kubectl.ok('wait', `tinymachine/${name}`, '--for=create', timeout);
    }
  });

  it('machines whose Nodes have joined are running, and the pool is available', async () => {
    const { kubectl } = given();
    await reportMachines(kubectl);
    await kubectl.ok('wait', 'machines', '--all', '--for=jsonpath={.status.phase}=Running', timeout);
    await kubectl.ok('wait', 'machinedeployment/pool', '--for=condition=Available', timeout);
    const [name = ''] = await machines(kubectl);
    expect(await kubectl.json('get', 'machine', name)).toMatchObject({ status: { nodeRef: { name } } });
    expect(await kubectl.json('get', 'node', name)).toMatchObject({
      metadata: { annotations: { 'cluster.x-k8s.io/machine': name } },
    });
    await untilReported(kubectl, name, 'SuccessfulSetNodeRef');
  });

  it('a deleted machine drains its Node, deletes the Node and the infrastructure, and is replaced', async () => {
    const { kubectl } = given();
    const [name = ''] = await machines(kubectl);
    const spec = { nodeName: name, containers: [{ name: 'main', image: 'none' }] };
    await kubectl.feed(
      documents({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'job' }, spec }),
      'create',
      '-f',
      '-',
    );
    await kubectl.ok('delete', 'machine', name, '--wait=false');
    await kubectl.ok('wait', 'pod/job', '--for=jsonpath={.metadata.deletionTimestamp}', timeout);
    expect(await kubectl.ok('get', 'node', name, '-o', 'jsonpath={.spec.unschedulable}')).toBe('true');
    await kubectl.ok('delete', 'pod', 'job', '--force', '--grace-period=0');
    await kubectl.ok('wait', `machine/${name}`, '--for=delete', timeout);
    for (const what of ['node', 'tinymachine'])
      expect(await kubectl.refused('get', what, name)).toContain('NotFound');
    await reportMachines(kubectl);
    await kubectl.ok('wait', 'machinedeployment/pool', '--for=condition=Available', timeout);
  });

  it('scaling down and deleting the cluster leave nothing behind', async () => {
    const { kubectl } = given();
    await kubectl.ok('scale', 'machinedeployment', 'pool', '--replicas=1');
    await kubectl.ok('wait', 'machinedeployment/pool', '--for=jsonpath={.status.replicas}=1', timeout);
    await kubectl.ok('delete', 'cluster', 'tiny', timeout);
    const kinds =
      'clusters,machinedeployments,machinesets,machines,tinyclusters,tinycontrolplanes,tinymachines';
    expect(await kubectl.ok('get', kinds, '-o', 'name')).toBe('');
  });
});
