import { expect, it } from 'vitest';
import { TestClock } from '../harness/test-clock.ts';
import { ownIdentity as identity } from '../../src/embedded/kubernetes-api/auth/identity.ts';
import { installKinds } from '../../src/embedded/kubernetes-api/installed-kinds.ts';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import { ApiServer } from '../../src/embedded/kubernetes-api/server.ts';
import { RandomStreams } from '../simulator/engine/random-streams.ts';
import { clearLeftovers } from './leftovers.ts';

const machinesIn = (namespace: string): string =>
  `/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/${namespace}/scalewayapplesiliconmachines`;
const hosts = '/apis/muster.dev/v1alpha1/machosts';
const nodes = '/api/v1/nodes';

function harness() {
  const clock = new TestClock(Date.UTC(2026, 10, 3, 12));
  const random = new RandomStreams(1).stream('test');
  const controllers = { scheduling: 'off' } as const;
  const server = new ApiServer({ clock, random, tokenSecret: new Uint8Array(32), controllers });
  installKinds(server);
  clock.runDue();
  const ask = (method: 'GET' | 'POST', path: string, body?: Json): string => {
    const answer = server.handle({ identity, query: {}, method, path, ...(body !== undefined && { body }) });
    return 'status' in answer ? JSON.stringify(answer.body) : '';
  };
  const make = (path: string, apiVersion: string, object: Readonly<Record<string, Json>>): void =>
    expect(ask('POST', path, { apiVersion, ...object })).toContain('resourceVersion');
  return { server, ask, make };
}

it('deletes the demo fleet and all hosts, despite finalizers; objects of a person stay', () => {
  const { server, ask, make } = harness();
  make('/api/v1/namespaces', 'v1', { kind: 'Namespace', metadata: { name: 'demo' } });
  const ours = 'infrastructure.cluster.x-k8s.io/v1alpha1';
  const finalizers = ['scalewayapplesilicon.cluster.x-k8s.io/finalizer'];
  for (const namespace of ['demo', 'default'])
    make(machinesIn(namespace), ours, {
      kind: 'ScalewayAppleSiliconMachine',
      metadata: { name: `in-${namespace}`, finalizers },
      spec: { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' },
    });
  const name = '10000000-0000-4000-8000-000000000000';
  make(hosts, 'muster.dev/v1alpha1', { kind: 'MacHost', metadata: { name }, spec: {} });
  const labels = { 'muster.dev/simulated': 'true' };
  make(nodes, 'v1', { kind: 'Node', metadata: { name: 'simulated', labels } });
  make(nodes, 'v1', { kind: 'Node', metadata: { name: 'of-a-person' } });
  clearLeftovers(server);
  const left = [machinesIn('demo'), machinesIn('default'), hosts, nodes].map(
    (path) => ask('GET', path).match(/"name":"[^"]+"/g) ?? [],
  );
  expect(left).toEqual([[], ['"name":"in-default"'], [], ['"name":"of-a-person"']]);
});

it('deletes the demo runners, although their Node should end them, and keeps other accounts', () => {
  const { server, ask, make } = harness();
  const labels = { 'tuist.dev/runner-pool': 'linux' };
  const paths = ['pods', 'serviceaccounts'].map((kind) => `/api/v1/namespaces/demo/${kind}`);
  const [pods = '', accounts = ''] = paths;
  make('/api/v1/namespaces', 'v1', { kind: 'Namespace', metadata: { name: 'demo' } });
  make(nodes, 'v1', { kind: 'Node', metadata: { name: 'of-a-person' } });
  make(accounts, 'v1', { kind: 'ServiceAccount', metadata: { name: 'linux-runner-1', labels } });
  make(accounts, 'v1', { kind: 'ServiceAccount', metadata: { name: 'muster-manager' } });
  const containers = [{ name: 'runner', image: 'a' }];
  const spec = { nodeName: 'of-a-person', serviceAccountName: 'linux-runner-1', containers };
  make(pods, 'v1', { kind: 'Pod', metadata: { name: 'linux-runner-1', labels }, spec });
  clearLeftovers(server);
  expect(paths.map((path) => ask('GET', path).includes('linux-runner-1'))).toEqual([false, false]);
  expect(ask('GET', accounts)).toContain('muster-manager');
});
