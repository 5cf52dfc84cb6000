/** Concurrent writes keep a machine from taking or releasing a host. */
import { describe, expect, it, vi } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import { act, controllerOn, free, meant, otherId } from '../../../lab/harness/machine-actions.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { macHosts, type MachineObject } from '../state/objects.ts';
import type { Action } from './decision.ts';

const conflict = { kind: 'conflict' };

describe('the annotation that names a host', () => {
  const intend: Action = { kind: 'intend', hostId };

  it('is not overwritten by a concurrent write', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1');
    const another = { [annotations.host.key]: otherId };
    harness.beforeNext('PATCH', () =>
      harness.changeMachine('runners-1', { metadata: { annotations: another } }),
    );
    await expect(act(harness, intend, { machine })).rejects.toMatchObject(conflict);
    expect((await harness.storedMachine('runners-1')).metadata.annotations).toEqual(another);
  });

  it('is not stored on another machine of the same name', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1');
    harness.deleteMachine('runners-1');
    const next = await harness.machine('runners-1');
    expect(await act(harness, intend, { machine })).toBe('precondition-lost');
    expect(await harness.storedMachine('runners-1')).toEqual(next);
  });
});

describe('a claim', () => {
  const action: Action = { kind: 'claim', hostId };

  it('does not replace a concurrent claim of another machine', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant });
    const claim = { namespace: 'default', name: 'runners-2', uid: 'other' };
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { claim, used: true } }));
    await expect(act(harness, action, { machine })).rejects.toMatchObject(conflict);
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true });
  });

  it('is not made by a machine that has another host, whatever its annotation', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant, status: { serverID: otherId } });
    expect(await act(harness, action, { machine })).toBe('precondition-lost');
    expect((await harness.storedHost()).spec).toEqual({});
  });

  it.for([
    ['has no finalizer', { ...meant, finalizers: [] }],
    ['names another host', { ...meant, annotations: { [annotations.host.key]: otherId } }],
  ] as const)('is not made by a machine that %s', async ([, metadata]) => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata });
    expect(await act(harness, action, { machine })).toBe('precondition-lost');
    expect((await harness.storedHost()).spec).toEqual({});
  });

  it.for([
    ['pool-1', 'requested'],
    ['web-1', 'precondition-lost'],
  ] as const)('of a bound machine, on a server named %s: %s', async ([name, result]) => {
    const harness = new HostHarness();
    await harness.host({ used: true }, { observed: { ...free, name } });
    const machine = await harness.machine('runners-1', { metadata: meant, status: { serverID: hostId } });
    expect(await act(harness, action, { machine })).toBe(result);
  });
});

describe('a host', () => {
  const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };

  function served(harness: HostHarness): Promise<MachineObject> {
    const metadata = { finalizers: [finalizers.machine.key] };
    return harness.machine('runners-1', { metadata, status: { serverID: hostId } });
  }

  async function leaving(harness: HostHarness): Promise<MachineObject> {
    await served(harness);
    harness.deleteMachine('runners-1');
    return harness.storedMachine('runners-1');
  }

  it('is not released when an operator holds it at the same moment', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness);
    const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    await harness.host({ claim, used: true });
    const hold = { reason: 'look at it', since: '2026-01-01T00:00:00.000Z' };
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { hold } }));
    await expect(act(harness, action, { machine })).rejects.toMatchObject(conflict);
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true, hold });
  });

  it('is not released while it has neither a claim nor a known server name', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness);
    const { name: _, ...nameless } = free;
    await harness.host({ used: true }, { observed: nameless });
    expect(await act(harness, action, { machine })).toBe('precondition-lost');
    harness.changeHost({ status: { observed: { name: 'runners-1' } } }, '/status');
    expect(await act(harness, action, { machine })).toBe('requested');
  });

  it('is not released by a live machine', async () => {
    const harness = new HostHarness();
    const machine = await served(harness);
    const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    await harness.host({ claim, used: true });
    expect(await act(harness, action, { machine })).toBe('precondition-lost');
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true });
  });
});

describe('a machine whose claim had no answer', () => {
  /** Claims the host, loses the answer, and then turns to another host. */
  async function turned(kind: 'intend' | 'claim') {
    const harness = new HostHarness();
    const host = await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant });
    const controller = await controllerOn(harness, { machine });
    const observed = await controller.observe('runners-1');
    if (observed === undefined) throw new Error('the machine is there');
    const lost = new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' });
    vi.spyOn(harness.client, 'patch').mockRejectedValueOnce(lost);
    await controller.act({ kind: 'claim', hostId }, observed).catch(() => 'lost');
    const another = { [annotations.host.key]: otherId };
    if (kind === 'claim') harness.changeMachine('runners-1', { metadata: { annotations: another } });
    await harness.client.create(
      macHosts,
      {},
      { apiVersion: 'muster.dev/v1alpha1', kind: 'MacHost', metadata: { name: otherId }, spec: {} },
    );
    const place = { name: otherId, subresource: 'status' };
    await harness.client.patch(macHosts, place, { merge: { status: host.status } });
    return { harness, round: () => controller.act({ kind, hostId: otherId }, observed) };
  }

  it.for(['intend', 'claim'] as const)(
    'does not %s another host while the claim may still arrive',
    async (kind) => {
      const { harness, round } = await turned(kind);
      expect(await round()).toBe('precondition-lost');
      await harness.clock.pass(90_000);
      expect(await round()).toBe('requested');
    },
  );

  it('does not claim another host when the claim did arrive', async () => {
    const { harness, round } = await turned('claim');
    const { uid } = (await harness.storedMachine('runners-1')).metadata;
    harness.changeHost({ spec: { claim: { namespace: 'default', name: 'runners-1', uid }, used: true } });
    await harness.clock.pass(90_000);
    expect(await round()).toBe('precondition-lost');
  });
});
