/** A machine restores its server id only if the server has the machine's name. */
import { describe, expect, it } from 'vitest';
import { hostId, HostHarness } from '../../../../lab/harness/host-harness.ts';
import { act, controllerOn, free, meant, otherId } from '../../../../lab/harness/machine-actions.ts';
import { annotations } from '../../../api/names/annotations.ts';
import { serverIdIn } from '../../../api/names/provider-id.ts';
import type { Action } from '../decision.ts';
import { decide } from '../plan.ts';

const restoreBinding: Action = { kind: 'restore-binding', hostId };
const providerID = `scw-applesilicon://fr-par-1/${hostId}`;

async function harnessWith(name: string) {
  const harness = new HostHarness();
  await harness.host({ used: true }, { observed: { ...free, name } });
  await harness.machine('runners-1', { metadata: meant });
  harness.changeMachine('runners-1', { spec: { providerID } });
  return { harness, machine: await harness.storedMachine('runners-1') };
}

const servedBy = async (harness: HostHarness) => (await harness.storedMachine('runners-1')).status?.serverID;

describe('a machine whose status was lost', () => {
  it('restores its server id', async () => {
    const { harness, machine } = await harnessWith('runners-1');
    const observed = await (await controllerOn(harness, { machine })).observe('runners-1');
    expect(observed && decide(observed).action).toEqual(restoreBinding);
    expect(await act(harness, restoreBinding, { machine })).toBe('requested');
    expect(await servedBy(harness)).toBe(hostId);
  });

  it.for([
    [
      'the server has another name',
      (harness: HostHarness) => harness.changeHost({ status: { observed: { name: 'web-1' } } }, '/status'),
    ],
    [
      'its spec names another server',
      (harness: HostHarness) => harness.changeMachine('runners-1', { spec: { providerID: null } }),
    ],
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
  ] as const)('restores nothing when, meanwhile, %s', async ([, change]) => {
    const { harness, machine } = await harnessWith('runners-1');
    change(harness);
    const before = await servedBy(harness);
    expect(await act(harness, restoreBinding, { machine })).toBe('precondition-lost');
    expect(await servedBy(harness)).toBe(before);
  });

  it('restores the id while paused if the machine is deleted', async () => {
    const { harness, machine } = await harnessWith('runners-1');
    harness.changeMachine('runners-1', { metadata: { annotations: { [annotations.paused.key]: '' } } });
    harness.deleteMachine('runners-1');
    expect(await act(harness, restoreBinding, { machine })).toBe('requested');
  });

  it('keeps its finalizer while its server exists without a MacHost', async () => {
    const { harness, machine } = await harnessWith('runners-1');
    const controller = await controllerOn(harness, { machine, findHost: () => undefined });
    harness.changeMachine('runners-1', { metadata: { annotations: null } });
    harness.deleteMachine('runners-1');
    const observed = await controller.observe('runners-1');
    harness.deleteHost();
    if (observed === undefined) throw new Error('it is not known');
    await expect(controller.act({ kind: 'remove-finalizer' }, observed)).rejects.toMatchObject({
      kind: 'notYet',
    });
    expect((await harness.storedMachine('runners-1')).metadata.finalizers).toEqual(meant.finalizers);
  });

  it('does not overwrite a concurrent write', async () => {
    const { harness, machine } = await harnessWith('runners-1');
    harness.beforeNext('PATCH', () => harness.changeMachine('runners-1', { spec: { providerID: null } }));
    await expect(act(harness, restoreBinding, { machine })).rejects.toMatchObject({ kind: 'conflict' });
    expect(await servedBy(harness)).toBeUndefined();
  });
});

it('finds the server id in a providerID of any provider', () => {
  expect(serverIdIn(providerID)).toBe(hostId);
  expect(serverIdIn('scw-applesilicon://office/mini-7')).toBe('mini-7');
  expect(serverIdIn('scw-applesilicon://office/mini-7/x')).toBeUndefined();
});
