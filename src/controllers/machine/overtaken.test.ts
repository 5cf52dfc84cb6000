/** What somebody else wrote, or writes in the same moment, keeps a machine from taking or giving up a host. */
import { describe, expect, it, vi } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { act, controllerOn, free, meant, otherId } from '../../../test/machine-acts.ts';
import { annotations } from '../../api/annotations.ts';
import { finalizers } from '../../api/finalizers.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { macHosts, type MachineObject } from '../../fleet/objects.ts';
import type { Action } from './decision.ts';

const conflict = { kind: 'conflict' };

describe('which host is meant', () => {
  const intend: Action = { kind: 'intend', hostId };

  it('is not written over when somebody writes another one in the same moment', async () => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1');
    const another = { [annotations.host.key]: otherId };
    stand.beforeNext('PATCH', () => stand.changeMachine('runners-1', { metadata: { annotations: another } }));
    await expect(act(stand, intend, { machine })).rejects.toMatchObject(conflict);
    expect((await stand.storedMachine('runners-1')).metadata.annotations).toEqual(another);
  });

  it('is not stored on another machine of the same name', async () => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1');
    stand.deleteMachine('runners-1');
    const next = await stand.machine('runners-1');
    expect(await act(stand, intend, { machine })).toBe('overtaken');
    expect(await stand.storedMachine('runners-1')).toEqual(next);
  });
});

describe('a claim', () => {
  const action: Action = { kind: 'claim', hostId };

  it('does not replace that of another machine which comes in the same moment', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant });
    const claim = { namespace: 'default', name: 'runners-2', uid: 'other' };
    stand.beforeNext('PATCH', () => stand.changeHost({ spec: { claim, used: true } }));
    await expect(act(stand, action, { machine })).rejects.toMatchObject(conflict);
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true });
  });

  it('is not made by a machine that has another host already, whatever its annotation says', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant, status: { serverID: otherId } });
    expect(await act(stand, action, { machine })).toBe('overtaken');
    expect((await stand.storedHost()).spec).toEqual({});
  });

  it.for([
    ['has no finalizer', { ...meant, finalizers: [] }],
    ['means another host', { ...meant, annotations: { [annotations.host.key]: otherId } }],
  ] as const)('is not made by a machine that %s', async ([, metadata]) => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata });
    expect(await act(stand, action, { machine })).toBe('overtaken');
    expect((await stand.storedHost()).spec).toEqual({});
  });

  it.for([
    ['pool-1', 'asked'],
    ['web-1', 'overtaken'],
  ] as const)('of a machine that says it was served, on a server called %s: %s', async ([name, result]) => {
    const stand = new HostStand();
    await stand.host({ used: true }, { observed: { ...free, name } });
    const machine = await stand.machine('runners-1', { metadata: meant, status: { serverID: hostId } });
    expect(await act(stand, action, { machine })).toBe(result);
  });
});

describe('a host', () => {
  const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };

  function served(stand: HostStand): Promise<MachineObject> {
    const metadata = { finalizers: [finalizers.machine.key] };
    return stand.machine('runners-1', { metadata, status: { serverID: hostId } });
  }

  async function leaving(stand: HostStand): Promise<MachineObject> {
    await served(stand);
    stand.deleteMachine('runners-1');
    return stand.storedMachine('runners-1');
  }

  it('is not given up when a person keeps it aside in the same moment', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand);
    const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    await stand.host({ claim, used: true });
    const hold = { reason: 'look at it', since: '2026-01-01T00:00:00.000Z' };
    stand.beforeNext('PATCH', () => stand.changeHost({ spec: { hold } }));
    await expect(act(stand, action, { machine })).rejects.toMatchObject(conflict);
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true, hold });
  });

  it('is not given up while nobody claims it and nobody knows what its server is called', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand);
    const { name: _, ...nameless } = free;
    await stand.host({ used: true }, { observed: nameless });
    expect(await act(stand, action, { machine })).toBe('overtaken');
    stand.changeHost({ status: { observed: { name: 'runners-1' } } }, '/status');
    expect(await act(stand, action, { machine })).toBe('asked');
  });

  it('is not given up by a machine that stays', async () => {
    const stand = new HostStand();
    const machine = await served(stand);
    const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    await stand.host({ claim, used: true });
    expect(await act(stand, action, { machine })).toBe('overtaken');
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true });
  });
});

describe('a machine whose claim may have been made although its answer was lost', () => {
  /** It claims the host, the answer is lost, and it turns to another one. */
  async function turned(kind: 'intend' | 'claim') {
    const stand = new HostStand();
    const host = await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant });
    const controller = await controllerOn(stand, { machine });
    const observed = await controller.observe('runners-1');
    if (observed === undefined) throw new Error('the machine is there');
    const lost = new FleetError('unavailable', { reason: 'AnswerLost', message: 'lost' });
    vi.spyOn(stand.client, 'patch').mockRejectedValueOnce(lost);
    await controller.act({ kind: 'claim', hostId }, observed).catch(() => 'lost');
    const another = { [annotations.host.key]: otherId };
    if (kind === 'claim') stand.changeMachine('runners-1', { metadata: { annotations: another } });
    await stand.client.create(
      macHosts,
      {},
      { apiVersion: 'muster.dev/v1alpha1', kind: 'MacHost', metadata: { name: otherId }, spec: {} },
    );
    const place = { name: otherId, subresource: 'status' };
    await stand.client.patch(macHosts, place, { merge: { status: host.status } });
    return { stand, turn: () => controller.act({ kind, hostId: otherId }, observed) };
  }

  it.for(['intend', 'claim'] as const)('does not %s another host while it may still land', async (kind) => {
    const { stand, turn } = await turned(kind);
    expect(await turn()).toBe('overtaken');
    await stand.clock.pass(90_000);
    expect(await turn()).toBe('asked');
  });

  it('does not claim another one when it has landed after all', async () => {
    const { stand, turn } = await turned('claim');
    const { uid } = (await stand.storedMachine('runners-1')).metadata;
    stand.changeHost({ spec: { claim: { namespace: 'default', name: 'runners-1', uid }, used: true } });
    await stand.clock.pass(90_000);
    expect(await turn()).toBe('overtaken');
  });
});
