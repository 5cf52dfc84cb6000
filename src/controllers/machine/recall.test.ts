/** A machine says again what served it only if that is so by what is stored: the server is called like it. */
import { describe, expect, it } from 'vitest';
import { hostId, HostStand } from '../../../test/host-stand.ts';
import { act, controllerOn, free, meant, otherId } from '../../../test/machine-acts.ts';
import { annotations } from '../../api/annotations.ts';
import { serverIdIn } from '../../api/provider-id.ts';
import type { Action } from './decision.ts';
import { decide } from './plan.ts';

const recall: Action = { kind: 'recall', hostId };
const providerID = `scw-applesilicon://fr-par-1/${hostId}`;

async function standWith(name: string) {
  const stand = new HostStand();
  await stand.host({ used: true }, { observed: { ...free, name } });
  await stand.machine('runners-1', { metadata: meant });
  stand.changeMachine('runners-1', { spec: { providerID } });
  return { stand, machine: await stand.storedMachine('runners-1') };
}

const servedBy = async (stand: HostStand) => (await stand.storedMachine('runners-1')).status?.serverID;

describe('a machine whose status was lost', () => {
  it('says again what served it', async () => {
    const { stand, machine } = await standWith('runners-1');
    const observed = await (await controllerOn(stand, { machine })).observe('runners-1');
    expect(observed && decide(observed).action).toEqual(recall);
    expect(await act(stand, recall, { machine })).toBe('asked');
    expect(await servedBy(stand)).toBe(hostId);
  });

  it.for([
    [
      'the server is called otherwise',
      (stand: HostStand) => stand.changeHost({ status: { observed: { name: 'web-1' } } }, '/status'),
    ],
    [
      'its spec names another',
      (stand: HostStand) => stand.changeMachine('runners-1', { spec: { providerID: null } }),
    ],
    [
      'it was served by another',
      (stand: HostStand) => stand.changeMachine('runners-1', { status: { serverID: otherId } }, '/status'),
    ],
    [
      'it is paused',
      (stand: HostStand) =>
        stand.changeMachine('runners-1', { metadata: { annotations: { [annotations.paused.key]: '' } } }),
    ],
  ] as const)('says nothing when, by now, %s', async ([, change]) => {
    const { stand, machine } = await standWith('runners-1');
    change(stand);
    const before = await servedBy(stand);
    expect(await act(stand, recall, { machine })).toBe('overtaken');
    expect(await servedBy(stand)).toBe(before);
  });

  it('says it also while it is paused, when it leaves', async () => {
    const { stand, machine } = await standWith('runners-1');
    stand.changeMachine('runners-1', { metadata: { annotations: { [annotations.paused.key]: '' } } });
    stand.deleteMachine('runners-1');
    expect(await act(stand, recall, { machine })).toBe('asked');
  });

  it('does not go while its server is there and has no object', async () => {
    const { stand, machine } = await standWith('runners-1');
    const controller = await controllerOn(stand, { machine, findHost: () => undefined });
    stand.changeMachine('runners-1', { metadata: { annotations: null } });
    stand.deleteMachine('runners-1');
    const observed = await controller.observe('runners-1');
    stand.deleteHost();
    if (observed === undefined) throw new Error('it is not known');
    await expect(controller.act({ kind: 'let-go' }, observed)).rejects.toMatchObject({ kind: 'notYet' });
    expect((await stand.storedMachine('runners-1')).metadata.finalizers).toEqual(meant.finalizers);
  });

  it('does not write over what somebody writes in the same moment', async () => {
    const { stand, machine } = await standWith('runners-1');
    stand.beforeNext('PATCH', () => stand.changeMachine('runners-1', { spec: { providerID: null } }));
    await expect(act(stand, recall, { machine })).rejects.toMatchObject({ kind: 'conflict' });
    expect(await servedBy(stand)).toBeUndefined();
  });
});

it('a server is found in a providerID of any provider', () => {
  expect(serverIdIn(providerID)).toBe(hostId);
  expect(serverIdIn('scw-applesilicon://office/mini-7')).toBe('mini-7');
  expect(serverIdIn('scw-applesilicon://office/mini-7/x')).toBeUndefined();
});
