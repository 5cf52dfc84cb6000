/**
 * Deleting a machine without its server, when the provider can no longer be asked: only then, and with a recorded
 * reason.
 */
import { beforeEach, expect, it } from 'vitest';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';
import { annotations } from '../../api/names/annotations.ts';

const id = idOf('bbbb');
const machinePath =
  '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/ci/scalewayapplesiliconmachines/runners-1';
const gone = [
  'detach',
  'ci/runners-1',
  '--host',
  'gone',
  '--reason',
  'the zone was closed',
  '--yes',
] as const;
let harness: FleetHarness;

beforeEach(() => {
  harness = new FleetHarness().install();
  harness.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const spec = { adoptPoolPrefix: 'tuist-pool-', providerID: `scw-applesilicon://fr-par-1/${id}` };
  harness.machine('runners-1', spec, { status: { serverID: id } });
});

function deleteMachine(): void {
  harness.patchMachine('runners-1', {
    metadata: { finalizers: ['scalewayapplesilicon.cluster.x-k8s.io/finalizer'] },
  });
  harness.deleteMachine('runners-1');
}

function mark(): unknown {
  return fieldsOf(fieldsOf(harness.get(machinePath)['metadata'])['annotations'])[annotations.hostGone.key];
}

it('names the missing server, and records the reason in an Event', async () => {
  deleteMachine();
  const { status, out } = await harness.muster(...gone);
  expect([status, out]).toEqual([
    0,
    expect.stringContaining('Confirm that the server no longer exists: the zone was closed'),
  ]);
  expect(mark()).toBe(id);
  expect(JSON.stringify(harness.get('/api/v1/namespaces/ci/events'))).toContain('HostCalledGone');
  expect((await harness.muster(...gone)).out).toContain('is already marked to be deleted without server');
});

it('is refused while the machine is not being deleted', async () => {
  const { status, err } = await harness.muster(...gone);
  expect([status, err, mark()]).toEqual([1, expect.stringContaining('is not being deleted'), undefined]);
});

it('is refused while the MacHost exists', async () => {
  deleteMachine();
  harness.host(id, {}, { state: 'Owned' });
  const { status, err } = await harness.muster(...gone);
  expect([status, err, mark()]).toEqual([
    1,
    expect.stringContaining('use --host keep or --host release'),
    undefined,
  ]);
});

it('needs a reason', async () => {
  const { status, err } = await harness.muster('detach', 'ci/runners-1', '--host', 'gone', '--yes');
  expect([status, err]).toEqual([64, expect.stringContaining('--host gone needs --reason TEXT')]);
});

it('works where no Event can be written, as in a namespace that is being deleted', async () => {
  deleteMachine();
  const body = { kind: 'Status', reason: 'Forbidden', message: 'no' };
  harness.transport.trouble = ({ method }) => (method === 'POST' ? { status: 403, body } : undefined);
  const { status, err } = await harness.muster(...gone);
  expect([status, err]).toEqual([
    0,
    expect.stringContaining('warning: the machine is marked, but failed to write an Event'),
  ]);
  expect(mark()).toBe(id);
});
