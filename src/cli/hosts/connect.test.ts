/** Finding the cluster, and the errors of an unreachable cluster and of missing rights. */
import { expect, it } from 'vitest';
import { FleetHarness } from '../../../lab/harness/fleet-harness.ts';

const refused = (status: number, reason: string) => ({
  status,
  body: { kind: 'Status', reason, message: 'no' },
});

it('says without a kubeconfig where one is looked for', async () => {
  const harness = new FleetHarness().install();
  harness.env = { HOME: '/home/me' };
  expect(await harness.muster('hosts')).toEqual({
    status: 1,
    out: '',
    err: 'error: no kubeconfig: give --kubeconfig <file>, or set KUBECONFIG, or run this in a Pod of the cluster\n',
  });
});

it.for([
  [{ KUBECONFIG: '/kubeconfig' }, []],
  [{}, ['--kubeconfig', '/kubeconfig']],
  [{ KUBECONFIG: '/none' }, ['--kubeconfig', '/kubeconfig']],
  [{ HOME: '/home/me' }, []],
  [{ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, []],
] as const)('%j with %j finds the cluster', async ([env, args]) => {
  const harness = new FleetHarness().install();
  harness.env = env;
  harness.files['/home/me/.kube/config'] = harness.files['/kubeconfig'] ?? '';
  harness.files['/var/run/secrets/kubernetes.io/serviceaccount/ca.crt'] = 'CA';
  expect(await harness.muster('machines', ...args)).toEqual({
    status: 0,
    out: '0 machines, 0 ready\n',
    err: '',
  });
});

it.for([
  [['--kubeconfig', '/none'], 'the kubeconfig /none cannot be read'],
  [['--context', 'other'], 'has no context "other"'],
] as const)('explains %j', async ([args, why]) => {
  const { status, err } = await new FleetHarness().install().muster('hosts', ...args);
  expect([status, err]).toEqual([1, expect.stringContaining(why)]);
});

it('rejects a list of kubeconfigs', async () => {
  const harness = new FleetHarness().install();
  harness.env = { KUBECONFIG: '/kubeconfig:/other' };
  expect((await harness.muster('hosts')).err).toContain('KUBECONFIG names 2 files');
});

it('says how to install missing CRDs', async () => {
  const { status, err } = await new FleetHarness().muster('hosts');
  expect([status, err]).toEqual([
    1,
    'error: the cluster does not know machosts.muster.dev; are the CRDs of Muster installed? (kubectl apply -f charts/muster/crds)\n',
  ]);
});

it.for([
  [refused(403, 'Forbidden'), 'your role lacks the verb "list" on the resource "machosts.muster.dev"'],
  [refused(401, 'Unauthorized'), 'the cluster rejected the credentials in the kubeconfig'],
  ['refused', 'no Kubernetes API answers'],
  [refused(500, 'InternalError'), 'GET /apis/muster.dev/v1alpha1/machosts: 500 no'],
] as const)('explains the error %j', async ([trouble, why]) => {
  const harness = new FleetHarness().install();
  harness.transport.trouble = () => trouble;
  const { status, err } = await harness.muster('hosts');
  expect([status, err]).toEqual([1, expect.stringContaining(why)]);
});

it('names the missing verb and resource of the failed step', async () => {
  const harness = new FleetHarness().install();
  harness.host('aaaa0000-0000-4000-8000-000000000000', {});
  harness.transport.trouble = ({ method }) => (method === 'PATCH' ? refused(403, 'Forbidden') : undefined);
  const { err } = await harness.muster('quarantine', 'aaaa0000', '--reason', 'x', '--yes');
  expect(err).toContain('your role lacks the verb "patch" on the resource "machosts.muster.dev"');
});

it('reads all pages of a list', async () => {
  const harness = new FleetHarness().install();
  for (let number = 0; number < 501; number += 1)
    harness.host(`${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`, {});
  expect((await harness.muster('hosts')).out).toContain('501 hosts');
});

it.for([
  'hosts',
  'machines',
  'why',
  'plan',
  'audit',
  'quarantine',
  'unquarantine',
  'release',
  'terminate',
  'detach',
])('%s --help has an example', async (command) => {
  const { status, out } = await new FleetHarness().muster(command, '--help');
  expect([status, out]).toEqual([0, expect.stringMatching(new RegExp(`Examples?: muster ${command}`))]);
});
