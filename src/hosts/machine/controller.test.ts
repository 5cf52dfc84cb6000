/** Claims and releases are proved by the stored objects, not by the cache that they were planned from. */
import { describe, expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../lab/harness/host-harness.ts';
import { act, controllerOn, free, meant, otherId } from '../../../lab/harness/machine-actions.ts';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import type { MachineObject } from '../state/objects.ts';
import { MachineController } from './controller.ts';
import type { Action } from './decision.ts';
import { decide } from './plan.ts';

describe('the hosts that a machine chooses from', () => {
  it('leave out free hosts that another machine names, and keep claimed hosts, which explain the shortage', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const other = await harness.machine('runners-2', { metadata: meant });
    const given = { machine: await harness.machine('runners-1'), meaning: [other] };
    expect((await (await controllerOn(harness, given)).observe('runners-1'))?.hosts).toEqual([]);
    harness.changeHost({
      spec: { claim: { namespace: 'default', name: 'runners-2', uid: other.metadata.uid } },
    });
    expect((await (await controllerOn(harness, given)).observe('runners-1'))?.hosts).toHaveLength(1);
  });
});

describe('a machine that has a host and no finalizer', () => {
  it('gets the finalizer, also while the machine is paused', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const paused = { annotations: { [annotations.paused.key]: '' } };
    const machine = await harness.machine('runners-1', { metadata: paused, status: { serverID: hostId } });
    const controller = await controllerOn(harness, { machine });
    const observed = await controller.observe('runners-1');
    expect(observed && decide(observed).action).toEqual({ kind: 'add-finalizer' });
    expect(await act(harness, { kind: 'add-finalizer' }, { machine })).toBe('requested');
    expect((await harness.storedMachine('runners-1')).metadata.finalizers).toEqual([finalizers.machine.key]);
  });

  it('keeps finalizers that others added meanwhile', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1', { status: { serverID: hostId } });
    harness.changeMachine('runners-1', { metadata: { finalizers: ['example.com/other'] } });
    expect(await act(harness, { kind: 'add-finalizer' }, { machine })).toBe('requested');
    expect((await harness.storedMachine('runners-1')).metadata.finalizers).toEqual([
      'example.com/other',
      finalizers.machine.key,
    ]);
  });
});

it('a deleted machine that names two hosts releases the host that it holds', async () => {
  const harness = new HostHarness();
  await harness.host({});
  const metadata = { ...meant, annotations: { [annotations.host.key]: otherId } };
  await harness.machine('runners-1', { metadata, status: { serverID: hostId } });
  harness.deleteMachine('runners-1');
  const machine = await harness.storedMachine('runners-1');
  const claim = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
  const unclaimed = await harness.storedHost();
  harness.changeHost({ spec: { claim } });
  const own = await harness.storedHost();
  const other = { ...unclaimed, metadata: { ...unclaimed.metadata, name: otherId } };
  const findHost = (id: string) => (id === hostId ? own : other);
  const observed = await (await controllerOn(harness, { machine, findHost })).observe('runners-1');
  expect(observed && decide(observed).action).toMatchObject({ kind: 'give-up', hostId });
});

describe('the annotation that names a host', () => {
  const intend: Action = { kind: 'intend', hostId };

  it('is stored with the finalizer', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1');
    expect(await act(harness, intend, { machine })).toBe('requested');
    expect((await harness.storedMachine('runners-1')).metadata).toMatchObject(meant);
  });

  it.for([
    [
      'the machine was bound to another host',
      (harness: HostHarness) =>
        harness.changeMachine('runners-1', { status: { serverID: otherId } }, '/status'),
    ],
    [
      'it is paused',
      (harness: HostHarness) =>
        harness.changeMachine('runners-1', { metadata: { annotations: { [annotations.paused.key]: '' } } }),
    ],
  ] as const)('is not changed when, meanwhile, %s', async ([, change]) => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1');
    change(harness);
    expect(await act(harness, intend, { machine })).toBe('precondition-lost');
  });

  it('is not changed while the machine holds the earlier host', async () => {
    const harness = new HostHarness();
    const machine = await harness.machine('runners-1', { metadata: meant });
    await harness.host({
      claim: { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid },
      used: true,
    });
    expect(await act(harness, { kind: 'intend', hostId: otherId }, { machine })).toBe('precondition-lost');
  });

  it('is not stored when the Cluster is paused meanwhile', async () => {
    const harness = new HostHarness();
    await harness.host({});
    const machine = await harness.machine('runners-1');
    expect(await act(harness, intend, { machine, clusterReadiness: 'paused' })).toBe('precondition-lost');
  });
});

describe('a claim', () => {
  const action: Action = { kind: 'claim', hostId };

  it('marks the disk as used, in the same write', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant });
    expect(await act(harness, action, { machine })).toBe('requested');
    expect((await harness.storedHost()).spec).toMatchObject({
      used: true,
      claim: { uid: machine.metadata.uid },
    });
  });

  it('is not made on a host to which another machine is bound', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant });
    const other = await harness.machine('runners-2', { status: { serverID: hostId } });
    expect(await act(harness, action, { machine, meaning: [machine, other] })).toBe('precondition-lost');
  });

  it('is not made on a host that was taken or used meanwhile', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const machine = await harness.machine('runners-1', { metadata: meant });
    harness.changeHost({ spec: { used: true } });
    expect(await act(harness, action, { machine })).toBe('precondition-lost');
  });
});

describe('a deleted machine', () => {
  async function leaving(harness: HostHarness, more: object = {}): Promise<MachineObject> {
    const marks = { ...meant.annotations, ...more };
    const machine = await harness.machine('runners-1', {
      metadata: { ...meant, annotations: marks },
      status: { serverID: hostId },
    });
    await harness.host({
      claim: { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid },
      used: true,
    });
    harness.deleteMachine('runners-1');
    return harness.storedMachine('runners-1');
  }

  it('ends no rent when the policy changed after planning', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness, { [annotations.releasePolicy.key]: 'terminate' });
    harness.changeMachine('runners-1', {
      metadata: { annotations: { [annotations.releasePolicy.key]: null } },
    });
    expect(await act(harness, { kind: 'give-up', hostId, release: { kind: 'terminate' } }, { machine })).toBe(
      'requested',
    );
    expect((await harness.storedHost()).spec?.release?.policy).toBe('pool');
  });

  it('drops its claim on a host to which another machine is bound, and orders no wipe', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness);
    const other = await harness.machine('runners-2', { status: { serverID: hostId } });
    const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };
    expect(await act(harness, action, { machine, meaning: [machine, other] })).toBe('requested');
    const lastOwner = { namespace: 'default', name: 'runners-1', uid: machine.metadata.uid };
    expect((await harness.storedHost()).spec).toEqual({ used: true, lastOwner });
  });

  it('releases a host that it shares only with deleted machines', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness);
    await harness.machine('runners-2', { metadata: meant, status: { serverID: hostId } });
    harness.deleteMachine('runners-2');
    const other = await harness.storedMachine('runners-2');
    const action: Action = { kind: 'give-up', hostId, release: { kind: 'pool', poolPrefix: 'pool-' } };
    expect(await act(harness, action, { machine, meaning: [machine, other] })).toBe('requested');
    expect((await harness.storedHost()).spec?.release?.policy).toBe('pool');
  });

  it('keeps its finalizer while its host has no order', async () => {
    const harness = new HostHarness();
    const machine = await leaving(harness);
    expect(await act(harness, { kind: 'remove-finalizer' }, { machine })).toBe('precondition-lost');
    expect((await harness.storedMachine('runners-1')).metadata.finalizers).toEqual(meant.finalizers);
  });
});

describe('machines reconciled together', () => {
  it('do not choose the same host, before anything is stored', async () => {
    const harness = new HostHarness();
    await harness.host({}, { observed: free });
    const first = await harness.storedHost();
    const hosts = [first, { ...first, metadata: { ...first.metadata, name: otherId } }];
    const wanted = new Map<string, MachineObject>();
    for (const name of ['runners-1', 'runners-2', 'runners-3']) wanted.set(name, await harness.machine(name));
    const controller = new MachineController({
      client: harness.client,
      provider: harness.provider,
      server: () => Promise.resolve(harness.server),
      find: (key) => wanted.get(key),
      findHost: () => undefined,
      hosts: () => hosts,
      hostsAbout: () => [],
      view: () => harness.viewOf(),
      pendingAtRest: () => new Set<string>(),
      meaning: () => [],
      clusterReadiness: () => Promise.resolve('ready'),
      now: harness.now,
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
