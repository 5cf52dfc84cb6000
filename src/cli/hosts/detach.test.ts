/**
 * Taking a machine off its host: the order of the writes, the waits between them, and the continuation after an
 * interruption.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { FleetHarness, fieldsOf, idOf } from '../../../lab/harness/fleet-harness.ts';
import type { KubeRequest } from '../../kube/client/transport.ts';

const host = idOf('bbbb');
const finalizer = 'scalewayapplesilicon.cluster.x-k8s.io/finalizer';
const detach = ['detach', 'ci/runners-1', '--yes'] as const;

function fleet(): FleetHarness {
  const made = new FleetHarness().install();
  made.post('/api/v1/namespaces', { metadata: { name: 'ci' } });
  const spec = { adoptPoolPrefix: 'tuist-pool-', providerID: `scw-applesilicon://fr-par-1/${host}` };
  const uid = made.machine('runners-1', spec, { status: { serverID: host } });
  const claim = { namespace: 'ci', name: 'runners-1', uid };
  made.host(host, { claim, used: true }, { state: 'Owned', observed: { name: 'runners-1' } });
  made.manager = () => obey(made);
  return made;
}

/** Plays the manager: reports the pause, and removes the finalizer of a deleted machine. */
function obey(harness: FleetHarness): void {
  if (!harness.machineNames().includes('runners-1')) return;
  const machine = harness.get(
    '/apis/infrastructure.cluster.x-k8s.io/v1alpha1/namespaces/ci/scalewayapplesiliconmachines/runners-1',
  );
  const { annotations, deletionTimestamp } = fieldsOf(machine['metadata']);
  if (deletionTimestamp !== undefined) harness.patchMachine('runners-1', { metadata: { finalizers: [] } });
  else if (fieldsOf(annotations)['cluster.x-k8s.io/paused'] !== undefined)
    harness.patchMachine(
      'runners-1',
      { status: { conditions: [{ type: 'Paused', status: 'True' }] } },
      'status',
    );
}

let harness = fleet();
beforeEach(() => void (harness = fleet()));

const writes = (): readonly KubeRequest[] =>
  harness.transport.requests.filter(({ method }) => method !== 'GET');

/** Each write in short: the object and the changed fields. */
function deeds(): readonly string[] {
  return writes().map(({ method, path, body }) => {
    const kind = path.includes('/machosts/') ? 'host' : path.includes('/machines/') ? 'owner' : 'machine';
    const { metadata, spec, status } = fieldsOf(body);
    const { annotations } = fieldsOf(metadata);
    const fields = Object.keys({ ...fieldsOf(annotations), ...fieldsOf(spec), ...fieldsOf(status) });
    return method === 'DELETE' ? `delete ${kind}` : `${kind}: ${fields.join(' ')}`;
  });
}

/** Creates a Machine of Cluster API, of which only the name matters here; returns its uid. */
function machineOfClusterApi(): string {
  const names = { plural: 'machines', singular: 'machine', kind: 'Machine', listKind: 'MachineList' };
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const group = 'cluster.x-k8s.io';
  harness.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `machines.${group}` },
    spec: {
      group,
      names,
      scope: 'Namespaced',
      versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
    },
  });
  harness.clock.runDue();
  const type = { apiVersion: `${group}/v1beta1`, kind: 'Machine' };
  const made = harness.post(`/apis/${group}/v1beta1/namespaces/ci/machines`, {
    ...type,
    metadata: { name: 'capi-1' },
  });
  return String(fieldsOf(made['metadata'])['uid']);
}

const mark = expect.stringContaining('detached from ci/runners-1');
const kept = { reason: mark };
const returned = { policy: 'pool', poolPrefix: 'tuist-pool-', orderedBy: mark };
const machineDeeds = ['machine: muster.dev/host providerID', 'machine: serverID'];

describe('muster detach', () => {
  it('shows the whole plan, and does it in that order', async () => {
    const { status, out } = await harness.muster(...detach, '--reason', 'look at its disk');
    expect(status).toBe(0);
    expect(out.replaceAll(/uid [-0-9a-f]+/g, 'uid U')).toMatchInlineSnapshot(`
      "machine ci/runners-1 with host bbbb0000 (server runners-1)
      1. pause the machine
      2. wait until the manager has paused it
      3. put host bbbb0000 on hold
      4. clear spec.providerID
      5. clear status.serverID
      6. take the claim off host bbbb0000, which stays on hold until: muster unquarantine; its password stays in the Secret runners-1-bootstrap
      7. delete the machine
      did: pause the machine
      seen: the manager has paused the machine: Paused is True
      did: put host bbbb0000 on hold
      did: clear spec.providerID
      did: clear status.serverID
      did: take the claim off host bbbb0000, which stays on hold until: muster unquarantine; its password stays in the Secret runners-1-bootstrap
      seen: the machine is deleted: the machine is gone
      did: delete the machine
      done: machine ci/runners-1 is gone
      "
    `);
    expect(deeds()).toEqual([
      'machine: cluster.x-k8s.io/paused',
      'host: hold',
      ...machineDeeds,
      'host: claim used',
      'delete machine',
    ]);
    expect(harness.machineNames()).toEqual([]);
  });

  it('leaves the host on hold, without a claim and with a used disk', async () => {
    await harness.muster(...detach, '--reason', 'look at its disk');
    expect(harness.specOf(host)).toEqual({
      used: true,
      hold: {
        reason: expect.stringMatching(/^detached from ci\/runners-1 \(uid .*\); look at its disk$/),
        since: '2026-11-03T12:00:02Z',
      },
    });
  });

  it('--host release orders the wipe only after the machine no longer names the host', async () => {
    const { status } = await harness.muster(...detach, '--host', 'release');
    expect([status, deeds()]).toEqual([
      0,
      [
        'machine: cluster.x-k8s.io/paused',
        'host: hold',
        ...machineDeeds,
        'host: release hold used',
        'delete machine',
      ],
    ]);
    expect(harness.specOf(host)).toMatchObject({
      claim: { name: 'runners-1' },
      release: { policy: 'pool', poolPrefix: 'tuist-pool-', osFamily: 'Tahoe' },
    });
  });

  it('stops when no manager reports the pause', async () => {
    harness.manager = () => undefined;
    const { status, err } = await harness.muster(...detach, '--timeout', '6s');
    expect([status, err]).toEqual([
      1,
      expect.stringContaining('not seen in time: the manager has paused the machine'),
    ]);
    expect(deeds()).toEqual(['machine: cluster.x-k8s.io/paused']);
  });

  it('deletes the Machine of Cluster API where there is one, by its uid', async () => {
    const uid = machineOfClusterApi();
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', name: 'capi-1', uid };
    harness.patchMachine('runners-1', { metadata: { ownerReferences: [owner] } });
    const { status, out } = await harness.muster(...detach);
    expect([status, out]).toEqual([
      0,
      expect.stringContaining('did: delete its Machine capi-1 of Cluster API'),
    ]);
    expect([deeds().at(-1), writes().at(-1)?.body]).toEqual([
      'delete owner',
      expect.objectContaining({ preconditions: { uid } }),
    ]);
    expect(harness.machineNames()).toEqual([]);
  });

  it.for(Array.from({ length: 6 }, (_, index) => index))(
    'continues after an interruption before write %i, with the same result',
    async (last) => {
      harness.transport.trouble = ({ method }) =>
        method !== 'GET' && writes().length > last ? { status: 500, body: {} } : undefined;
      expect((await harness.muster(...detach, '--reason', 'x')).status).toBe(1);
      const done = deeds().slice(0, -1);
      harness.transport.trouble = () => undefined;
      const again = await harness.muster(...detach, '--reason', 'x');
      expect([again.status, harness.machineNames()]).toEqual([0, []]);
      expect(harness.specOf(host)).toEqual({ used: true, hold: expect.objectContaining(kept) });
      expect([...done, ...deeds().slice(done.length + 1)]).toEqual([
        'machine: cluster.x-k8s.io/paused',
        'host: hold',
        ...machineDeeds,
        'host: claim used',
        'delete machine',
      ]);
    },
  );

  it.for(['keep', 'release'])(
    'finds a host without a claim again after the fields of the machine are cleared: %s',
    async (fate) => {
      harness.patchHost(host, { spec: { claim: null, used: null } });
      harness.transport.trouble = ({ method }) =>
        method !== 'GET' && writes().length > 4 ? { status: 500, body: {} } : undefined;
      expect((await harness.muster(...detach, '--host', fate)).status).toBe(1);
      expect(deeds().slice(-3, -1)).toEqual(machineDeeds);
      harness.transport.trouble = () => undefined;
      expect((await harness.muster(...detach, '--host', fate)).status).toBe(0);
      const order = {
        keep: { hold: expect.objectContaining(kept) },
        release: { release: expect.objectContaining(returned) },
      }[fate];
      expect(harness.specOf(host)).toEqual({ used: true, ...order });
    },
  );

  it('says that nothing is left to do', async () => {
    await harness.muster(...detach);
    const { status, out } = await harness.muster(...detach);
    expect([status, out]).toEqual([
      0,
      'done already: machine ci/runners-1 is gone, and host bbbb0000 is on hold\n',
    ]);
  });

  it('--host keep does not cancel a wipe that an earlier run ordered', async () => {
    harness.transport.trouble = ({ method }) => (method === 'DELETE' ? { status: 500, body: {} } : undefined);
    await harness.muster(...detach, '--host', 'release');
    const before = writes().length;
    const { status, err } = await harness.muster(...detach, '--host', 'keep');
    expect([status, err]).toEqual([1, expect.stringContaining('continue with --host release')]);
    expect(writes()).toHaveLength(before);
  });

  it('--host release without a known pool is refused before the first write', async () => {
    harness.patchMachine('runners-1', { spec: { adoptPoolPrefix: null } });
    const { status, err } = await harness.muster(...detach, '--host', 'release');
    expect([status, err, writes()]).toEqual([
      1,
      expect.stringContaining('the pool of the host is not known'),
      [],
    ]);
  });

  it('stops when the pause is removed meanwhile', async () => {
    harness.patchMachine('runners-1', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    obey(harness);
    harness.transport.trouble = ({ method, path }) => {
      if (method === 'PATCH' && path.includes('/machosts/'))
        harness.patchMachine('runners-1', { metadata: { annotations: { 'cluster.x-k8s.io/paused': null } } });
      return undefined;
    };
    const { status, err } = await harness.muster(...detach);
    expect([status, err]).toEqual([1, expect.stringContaining('the pause was removed meanwhile')]);
    expect(deeds()).toEqual(['host: hold']);
  });

  it('refuses a machine that is already being deleted', async () => {
    harness.deleteMachine('runners-1');
    const { status, err } = await harness.muster(...detach);
    expect([status, err, writes()]).toEqual([1, expect.stringContaining('is being deleted already'), []]);
  });

  it('does not touch a host that belongs to another machine', async () => {
    harness.patchHost(host, { spec: { claim: { name: 'other', uid: 'another' } } });
    const { status, err } = await harness.muster(...detach);
    expect([status, err]).toEqual([1, expect.stringContaining(`host ${host} belongs to ci/other`)]);
    expect(deeds()).toEqual(['machine: cluster.x-k8s.io/paused']);
  });

  it('keeps the reason of an earlier hold', async () => {
    harness.patchHost(host, { spec: { hold: { reason: 'slow disk', since: '2026-11-01T00:00:00Z' } } });
    await harness.muster(...detach);
    expect(harness.specOf(host)['hold']).toEqual({
      reason: expect.stringMatching(/before: slow disk$/),
      since: '2026-11-01T00:00:00Z',
    });
  });

  it('does nothing without a confirmation', async () => {
    const { status, err } = await harness.muster('detach', 'ci/runners-1');
    expect([status, err, writes()]).toEqual([1, expect.stringContaining('add --yes'), []]);
  });

  it('reads again after a conflict', async () => {
    let isFirst = true;
    harness.transport.trouble = ({ method, path }) => {
      if (isFirst && method === 'PATCH' && path.includes('/machosts/')) {
        isFirst = false;
        harness.patchHost(host, { status: { installEpoch: 7 } }, 'status');
      }
      return undefined;
    };
    const { status, err } = await harness.muster(...detach);
    expect([status, err]).toEqual([
      0,
      expect.stringContaining('another client changed the object at the same time'),
    ]);
    expect(deeds().filter((deed) => deed === 'host: hold')).toHaveLength(2);
  });

  it('reports a remaining finalizer at the timeout', async () => {
    harness.manager = () => {
      harness.patchMachine('runners-1', { metadata: { finalizers: [finalizer] } });
      harness.patchMachine(
        'runners-1',
        { status: { conditions: [{ type: 'Paused', status: 'True' }] } },
        'status',
      );
    };
    const { status, err } = await harness.muster(...detach, '--timeout', '6s');
    expect([status, err]).toEqual([
      1,
      expect.stringContaining(`now: the machine still exists, with finalizers ${finalizer}`),
    ]);
  });
});
