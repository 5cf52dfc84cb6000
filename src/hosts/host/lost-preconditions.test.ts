/** Takes no step as a replica that no longer leads, nor on an object that was changed or created again. */
import { describe, expect, it, vi } from 'vitest';
import { act } from '../../../lab/harness/host-actions.ts';
import { hostId, HostHarness, serverCalled } from '../../../lab/harness/host-harness.ts';
import { annotations } from '../../api/names/annotations.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { timeText } from '../../platform/time-text.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const hold = { reason: 'look at it', since: orderedAt };
const begun = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
const wiping = { status: 'reinstalling', statusText: 'reinstalling' } as const;

describe('a replica that no longer leads', () => {
  it('does not rename a server to its machine', async () => {
    const harness = new HostHarness();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await harness.machine('runners-1', { metadata });
    const host = await harness.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true });
    harness.living = [machine];
    harness.mayAct = false;
    expect([await act(harness, 'rename-to-machine', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('does not rename a server to its pool', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release }, { wipe: begun });
    harness.server = { ...serverCalled('runners-1'), ...wiping };
    harness.mayAct = false;
    expect([await act(harness, 'rename-to-pool', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('ends no rent', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    harness.mayAct = false;
    expect([await act(harness, 'terminate', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('does not schedule the end of a rent when the lease is lost during the refused deletion', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    const refusal = new FleetError('notYet', { reason: 'BillingFloor', message: 'too early' });
    vi.spyOn(harness.provider, 'delete').mockImplementation(() => {
      harness.mayAct = false;
      return Promise.reject(refusal);
    });
    expect([await act(harness, 'terminate', host), harness.calls]).toEqual(['notYet', []]);
  });
});

describe('a MacHost', () => {
  it('created again under the same name is not changed for its predecessor', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    harness.deleteHost();
    const next = await harness.host({ claim, used: true, release });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['precondition-lost', []]);
    expect(await harness.storedHost()).toEqual(next);
  });

  it('is not freed when an operator holds the host at the same moment', async () => {
    const harness = new HostHarness();
    const wipe = { ...begun, completedAt: orderedAt };
    const host = await harness.host({ claim, used: true, release }, { wipe });
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { hold } }));
    expect(await act(harness, 'return-to-pool', host)).toBe('conflict');
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true, release, hold });
  });
});

describe('an order on the host of a live machine', () => {
  async function ordered() {
    const harness = new HostHarness();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await harness.machine('runners-1', { metadata });
    const held = { ...claim, uid: machine.metadata.uid };
    const host = await harness.host({ claim: held, used: true, release });
    return { harness, machine, held, host };
  }

  it('is withdrawn, also while the provider does not answer', async () => {
    const { harness, machine, held, host } = await ordered();
    harness.living = [machine];
    harness.meanwhile = () => expect.fail('the provider was asked');
    expect(await act(harness, 'cancel-order', host)).toBe('requested');
    expect((await harness.storedHost()).spec).toEqual({ claim: held, used: true });
  });

  it('is kept when the machine was deleted meanwhile, or another order was written at the same moment', async () => {
    const { harness, machine, host } = await ordered();
    expect(await act(harness, 'cancel-order', host)).toBe('precondition-lost');
    harness.living = [machine];
    const own = { ...release, machineUid: machine.metadata.uid };
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { release: own } }));
    expect(await act(harness, 'cancel-order', host)).toBe('conflict');
    expect((await harness.storedHost()).spec?.release).toEqual(own);
  });
});

describe('a host that the provider no longer knows', () => {
  function gone(): HostHarness {
    const harness = new HostHarness();
    harness.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    return harness;
  }

  it('is deleted, with uid and version as preconditions', async () => {
    const harness = gone();
    const host = await harness.host({});
    expect(await act(harness, 'delete-record', host)).toBe('requested');
    const { uid, resourceVersion } = host.metadata;
    const deletions = harness.transport.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions).toMatchObject([{ body: { preconditions: { uid, resourceVersion } } }]);
    await expect(harness.storedHost()).rejects.toMatchObject({ kind: 'gone' });
  });

  it('is not deleted when a machine claims it at the same moment', async () => {
    const harness = gone();
    const host = await harness.host({});
    harness.beforeNext('DELETE', () => harness.changeHost({ spec: { claim, used: true } }));
    expect(await act(harness, 'delete-record', host)).toBe('conflict');
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true });
  });
});

describe('the record of the earlier wipe', () => {
  const before = '2025-12-01T00:00:00.000Z';
  const wipe = { order: before, askedAt: before, startedAt: before, renamedAt: before, completedAt: before };

  it('is cleared when the next wipe is requested', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, lastOwner: claim, used: true, release }, { wipe });
    expect(await act(harness, 'wipe', host)).toBe('requested');
    const asked = { order: orderedAt, ownerUid: claim.uid, askedAt: orderedAt };
    expect((await harness.storedHost()).status?.wipe).toEqual(asked);
  });

  it('is cleared when the next wipe is seen to begin', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release }, { wipe });
    harness.server = { ...harness.server, ...wiping };
    expect(await act(harness, 'record-wipe-start', host)).toBe('requested');
    expect((await harness.storedHost()).status?.wipe).toEqual({ ...begun, ownerUid: '' });
  });
});

it('the status of a terminating host has the time of that state, not of its use', async () => {
  const harness = new HostHarness();
  const long = '2025-06-01T00:00:00.000Z';
  const ended = { ...release, policy: 'terminate' };
  const host = await harness.host({ claim, used: true, release: ended }, { state: 'Owned', since: long });
  expect(await act(harness, 'terminate', host)).toBe('requested');
  const { state, since } = (await harness.storedHost()).status ?? {};
  expect([state, since]).toEqual(['Terminating', timeText(harness.now())]);
});
