/** No step is taken by one who leads no longer, nor on an object that somebody else has changed or made anew. */
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

describe('one who leads no longer', () => {
  it('gives no server the name of its machine', async () => {
    const harness = new HostHarness();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await harness.machine('runners-1', { metadata });
    const host = await harness.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true });
    harness.living = [machine];
    harness.mayAct = false;
    expect([await act(harness, 'promote', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('gives no server a pool name', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release }, { wipe: begun });
    harness.server = { ...serverCalled('runners-1'), ...wiping };
    harness.mayAct = false;
    expect([await act(harness, 'park', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('ends no rent', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    harness.mayAct = false;
    expect([await act(harness, 'end', host), harness.calls]).toEqual(['notYet', []]);
  });

  it('schedules no end of a rent when the lead is lost while the provider refuses to end it now', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    const refusal = new FleetError('notYet', { reason: 'BillingFloor', message: 'too early' });
    vi.spyOn(harness.provider, 'delete').mockImplementation(() => {
      harness.mayAct = false;
      return Promise.reject(refusal);
    });
    expect([await act(harness, 'end', host), harness.calls]).toEqual(['notYet', []]);
  });
});

describe('a MacHost', () => {
  it('that was made anew under the same name is not touched for the one before', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    harness.deleteHost();
    const next = await harness.host({ claim, used: true, release });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['overtaken', []]);
    expect(await harness.storedHost()).toEqual(next);
  });

  it('is not freed when a person keeps it aside in the same moment', async () => {
    const harness = new HostHarness();
    const wipe = { ...begun, completedAt: orderedAt };
    const host = await harness.host({ claim, used: true, release }, { wipe });
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { hold } }));
    expect(await act(harness, 'offer', host)).toBe('conflict');
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true, release, hold });
  });
});

describe('an order under a machine that stays', () => {
  async function ordered() {
    const harness = new HostHarness();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await harness.machine('runners-1', { metadata });
    const held = { ...claim, uid: machine.metadata.uid };
    const host = await harness.host({ claim: held, used: true, release });
    return { harness, machine, held, host };
  }

  it('is taken off, also while the provider answers nobody', async () => {
    const { harness, machine, held, host } = await ordered();
    harness.living = [machine];
    harness.meanwhile = () => expect.fail('the provider was asked');
    expect(await act(harness, 'withdraw', host)).toBe('asked');
    expect((await harness.storedHost()).spec).toEqual({ claim: held, used: true });
  });

  it('is not taken off when the machine has left since, or another order came in the same moment', async () => {
    const { harness, machine, host } = await ordered();
    expect(await act(harness, 'withdraw', host)).toBe('overtaken');
    harness.living = [machine];
    const own = { ...release, machineUid: machine.metadata.uid };
    harness.beforeNext('PATCH', () => harness.changeHost({ spec: { release: own } }));
    expect(await act(harness, 'withdraw', host)).toBe('conflict');
    expect((await harness.storedHost()).spec?.release).toEqual(own);
  });
});

describe('a host that the provider does not know any more', () => {
  function gone(): HostHarness {
    const harness = new HostHarness();
    harness.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    return harness;
  }

  it('is forgotten, and it is said which object of that name is meant', async () => {
    const harness = gone();
    const host = await harness.host({});
    expect(await act(harness, 'forget', host)).toBe('asked');
    const { uid, resourceVersion } = host.metadata;
    const deletions = harness.transport.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions).toMatchObject([{ body: { preconditions: { uid, resourceVersion } } }]);
    await expect(harness.storedHost()).rejects.toMatchObject({ kind: 'gone' });
  });

  it('is not forgotten when somebody claims it in the same moment', async () => {
    const harness = gone();
    const host = await harness.host({});
    harness.beforeNext('DELETE', () => harness.changeHost({ spec: { claim, used: true } }));
    expect(await act(harness, 'forget', host)).toBe('conflict');
    expect((await harness.storedHost()).spec).toEqual({ claim, used: true });
  });
});

describe('of the wipe before', () => {
  const before = '2025-12-01T00:00:00.000Z';
  const wipe = { order: before, askedAt: before, startedAt: before, renamedAt: before, completedAt: before };

  it('nothing is left when the next one is asked for', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, lastOwner: claim, used: true, release }, { wipe });
    expect(await act(harness, 'wipe', host)).toBe('asked');
    const asked = { order: orderedAt, ownerUid: claim.uid, askedAt: orderedAt };
    expect((await harness.storedHost()).status?.wipe).toEqual(asked);
  });

  it('nothing is left when the next one is seen to begin', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release }, { wipe });
    harness.server = { ...harness.server, ...wiping };
    expect(await act(harness, 'note-start', host)).toBe('asked');
    expect((await harness.storedHost()).status?.wipe).toEqual({ ...begun, ownerUid: '' });
  });
});

it('a host whose rent ends says since when, and not since when it was in use', async () => {
  const harness = new HostHarness();
  const long = '2025-06-01T00:00:00.000Z';
  const ended = { ...release, policy: 'terminate' };
  const host = await harness.host({ claim, used: true, release: ended }, { state: 'Owned', since: long });
  expect(await act(harness, 'end', host)).toBe('asked');
  const { state, since } = (await harness.storedHost()).status ?? {};
  expect([state, since]).toEqual(['Terminating', timeText(harness.now())]);
});
