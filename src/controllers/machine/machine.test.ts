/** What a machine takes and gives back is proved from what is stored, not from the cache that it was planned from. */
import { describe, expect, it } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { act, controllerOn, free, meant, otherId } from '../../../test/machine-acts.ts';
import { annotations } from '../../api/annotations.ts';
import { finalizers } from '../../api/finalizers.ts';
import type { MachineObject } from '../../fleet/objects.ts';
import { MachineController } from './machine.ts';
import type { Action } from './decision.ts';
import { decide } from './plan.ts';

describe('the hosts that a machine chooses from', () => {
  it('leave out a free one that another means, and keep one that another has, for it says why there is none', async () => {
    const stand = new HostStand();
    await stand.host({});
    const other = await stand.machine('runners-2', { metadata: meant });
    const given = { machine: await stand.machine('runners-1'), meaning: [other] };
    expect((await (await controllerOn(stand, given)).observe('runners-1'))?.hosts).toEqual([]);
    stand.changeHost({
      spec: { claim: { namespace: 'default', name: 'runners-2', uid: other.metadata.uid } },
    });
    expect((await (await controllerOn(stand, given)).observe('runners-1'))?.hosts).toHaveLength(1);
  });
});

describe('a machine that has a host and no finalizer', () => {
  it('gets it, also while it is paused', async () => {
    const stand = new HostStand();
    await stand.host({});
    const paused = { annotations: { [annotations.paused.key]: '' } };
    const machine = await stand.machine('runners-1', { metadata: paused, status: { serverID: hostId } });
    const controller = await controllerOn(stand, { machine });
    const observed = await controller.observe('runners-1');
    expect(observed && decide(observed).action).toEqual({ kind: 'guard' });
    expect(await act(stand, { kind: 'guard' }, { machine })).toBe('asked');
    expect((await stand.storedMachine('runners-1')).metadata.finalizers).toEqual([finalizers.machine.key]);
  });

  it('keeps the finalizers that others have put on it meanwhile', async () => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1', { status: { serverID: hostId } });
    stand.changeMachine('runners-1', { metadata: { finalizers: ['example.com/other'] } });
    expect(await act(stand, { kind: 'guard' }, { machine })).toBe('asked');
    expect((await stand.storedMachine('runners-1')).metadata.finalizers).toEqual([
      'example.com/other',
      finalizers.machine.key,
    ]);
  });
});

it('a machine that leaves, and onto which two hosts were written, gives up the one that it has', async () => {
  const stand = new HostStand();
  await stand.host({});
  const metadata = { ...meant, annotations: { [annotations.host.key]: otherId } };
  await stand.machine('runners-1', { metadata, status: { serverID: hostId } });
  stand.deleteMachine('runners-1');
  const machine = await stand.storedMachine('runners-1');
  const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
  const unclaimed = await stand.storedHost();
  stand.changeHost({ spec: { claim } });
  const own = await stand.storedHost();
  const other = { ...unclaimed, metadata: { ...unclaimed.metadata, name: otherId } };
  const findHost = (id: string) => (id === hostId ? own : other);
  const observed = await (await controllerOn(stand, { machine, findHost })).observe('runners-1');
  expect(observed && decide(observed).action).toMatchObject({ kind: 'give-up', hostId });
});

describe('which host is meant', () => {
  const intend: Action = { kind: 'intend', hostId };

  it('is stored with the finalizer', async () => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1');
    expect(await act(stand, intend, { machine })).toBe('asked');
    expect((await stand.storedMachine('runners-1')).metadata).toMatchObject(meant);
  });

  it.for([
    [
      'it was served by another',
      (stand: HostStand) => stand.changeMachine('runners-1', { status: { serverID: otherId } }, '/status'),
    ],
    [
      'it is paused',
      (stand: HostStand) =>
        stand.changeMachine('runners-1', { metadata: { annotations: { [annotations.paused.key]: '' } } }),
    ],
  ] as const)('is not changed when, by now, %s', async ([, change]) => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1');
    change(stand);
    expect(await act(stand, intend, { machine })).toBe('overtaken');
  });

  it('is not changed while it holds the one before', async () => {
    const stand = new HostStand();
    const machine = await stand.machine('runners-1', { metadata: meant });
    await stand.host({
      claim: { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid },
      used: true,
    });
    expect(await act(stand, { kind: 'intend', hostId: otherId }, { machine })).toBe('overtaken');
  });

  it('is not stored below a Cluster that is paused by now', async () => {
    const stand = new HostStand();
    await stand.host({});
    const machine = await stand.machine('runners-1');
    expect(await act(stand, intend, { machine, gate: 'paused' })).toBe('overtaken');
  });
});

describe('a claim', () => {
  const action: Action = { kind: 'claim', hostId };

  it('marks the disk as used, in the same write', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant });
    expect(await act(stand, action, { machine })).toBe('asked');
    expect((await stand.storedHost()).spec).toMatchObject({
      used: true,
      claim: { uid: machine.metadata.uid },
    });
  });

  it('is not made on a host that another machine says it is served by', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant });
    const other = await stand.machine('runners-2', { status: { serverID: hostId } });
    expect(await act(stand, action, { machine, meaning: [machine, other] })).toBe('overtaken');
  });

  it('is not made on a host that was taken or used meanwhile', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const machine = await stand.machine('runners-1', { metadata: meant });
    stand.changeHost({ spec: { used: true } });
    expect(await act(stand, action, { machine })).toBe('overtaken');
  });
});

describe('a machine that leaves', () => {
  async function leaving(stand: HostStand, more: object = {}): Promise<MachineObject> {
    const marks = { ...meant.annotations, ...more };
    const machine = await stand.machine('runners-1', {
      metadata: { ...meant, annotations: marks },
      status: { serverID: hostId },
    });
    await stand.host({
      claim: { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid },
      used: true,
    });
    stand.deleteMachine('runners-1');
    return stand.storedMachine('runners-1');
  }

  it('ends no rent when that policy was taken back after it was planned', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand, { [annotations.releasePolicy.key]: 'terminate' });
    stand.changeMachine('runners-1', {
      metadata: { annotations: { [annotations.releasePolicy.key]: null } },
    });
    expect(await act(stand, { kind: 'give-up', hostId, release: { kind: 'terminate' } }, { machine })).toBe(
      'asked',
    );
    expect((await stand.storedHost()).spec?.release?.policy).toBe('pool');
  });

  it('takes its claim off a host that another machine says it has, and orders no wipe', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand);
    const other = await stand.machine('runners-2', { status: { serverID: hostId } });
    const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };
    expect(await act(stand, action, { machine, meaning: [machine, other] })).toBe('asked');
    const lastOwner = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    expect((await stand.storedHost()).spec).toEqual({ used: true, lastOwner });
  });

  it('gives a host up that it shares only with machines that leave as well', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand);
    await stand.machine('runners-2', { metadata: meant, status: { serverID: hostId } });
    stand.deleteMachine('runners-2');
    const other = await stand.storedMachine('runners-2');
    const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };
    expect(await act(stand, action, { machine, meaning: [machine, other] })).toBe('asked');
    expect((await stand.storedHost()).spec?.release?.policy).toBe('pool');
  });

  it('is not let go while its host has no order', async () => {
    const stand = new HostStand();
    const machine = await leaving(stand);
    expect(await act(stand, { kind: 'let-go' }, { machine })).toBe('overtaken');
    expect((await stand.storedMachine('runners-1')).metadata.finalizers).toEqual(meant.finalizers);
  });
});

describe('machines that are looked at together', () => {
  it('do not choose the same host, before anything is stored', async () => {
    const stand = new HostStand();
    await stand.host({}, { observed: free });
    const first = await stand.storedHost();
    const hosts = [first, { ...first, metadata: { ...first.metadata, name: otherId } }];
    const wanted = new Map<string, MachineObject>();
    for (const name of ['runners-1', 'runners-2', 'runners-3']) wanted.set(name, await stand.machine(name));
    const controller = new MachineController({
      client: stand.client,
      provider: stand.provider,
      server: () => Promise.resolve(stand.server),
      find: (key) => wanted.get(key),
      findHost: () => undefined,
      hosts: () => hosts,
      hostsAbout: () => [],
      view: () => stand.viewOf(),
      pendingAtRest: () => new Set<string>(),
      meaning: () => [],
      gate: () => Promise.resolve('open'),
      now: stand.now,
      defaultPoolPrefix: 'pool-',
      claimPrefix: '',
      called: () => [],
      isListed: () => true,
      secretsNamespace: 'default',
    });
    const observed = await Promise.all([...wanted.keys()].map((key) => controller.observe(key)));
    const chosen = observed.map((one) => (one === undefined ? undefined : decide(one).action));
    expect(chosen).toEqual([{ kind: 'intend', hostId }, { kind: 'intend', hostId: otherId }, undefined]);
  });
});
