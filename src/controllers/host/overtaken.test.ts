/** No step is taken by one who leads no longer, nor on an object that somebody else has changed or made anew. */
import { describe, expect, it, vi } from 'vitest';
import { act } from '../../../test/host-acts.ts';
import { hostId, HostStand, serverCalled } from '../../../test/host-stand.ts';
import { annotations } from '../../api/annotations.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { timeText } from '../../fleet/time-text.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const hold = { reason: 'look at it', since: orderedAt };
const begun = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
const wiping = { status: 'reinstalling', statusText: 'reinstalling' } as const;

describe('one who leads no longer', () => {
  it('gives no server the name of its machine', async () => {
    const stand = new HostStand();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await stand.machine('runners-1', { metadata });
    const host = await stand.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true });
    stand.living = [machine];
    stand.mayAct = false;
    expect([await act(stand, 'promote', host), stand.calls]).toEqual(['notYet', []]);
  });

  it('gives no server a pool name', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release }, { wipe: begun });
    stand.server = { ...serverCalled('runners-1'), ...wiping };
    stand.mayAct = false;
    expect([await act(stand, 'park', host), stand.calls]).toEqual(['notYet', []]);
  });

  it('ends no rent', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    stand.mayAct = false;
    expect([await act(stand, 'end', host), stand.calls]).toEqual(['notYet', []]);
  });

  it('schedules no end of a rent when the lead is lost while the provider refuses to end it now', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release: { ...release, policy: 'terminate' } });
    const refusal = new FleetError('notYet', { reason: 'BillingFloor', message: 'too early' });
    vi.spyOn(stand.provider, 'delete').mockImplementation(() => {
      stand.mayAct = false;
      return Promise.reject(refusal);
    });
    expect([await act(stand, 'end', host), stand.calls]).toEqual(['notYet', []]);
  });
});

describe('a MacHost', () => {
  it('that was made anew under the same name is not touched for the one before', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release });
    stand.deleteHost();
    const next = await stand.host({ claim, used: true, release });
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['overtaken', []]);
    expect(await stand.storedHost()).toEqual(next);
  });

  it('is not freed when a person keeps it aside in the same moment', async () => {
    const stand = new HostStand();
    const wipe = { ...begun, completedAt: orderedAt };
    const host = await stand.host({ claim, used: true, release }, { wipe });
    stand.beforeNext('PATCH', () => stand.changeHost({ spec: { hold } }));
    expect(await act(stand, 'offer', host)).toBe('conflict');
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true, release, hold });
  });
});

describe('an order under a machine that stays', () => {
  async function ordered() {
    const stand = new HostStand();
    const metadata = { annotations: { [annotations.host.key]: hostId } };
    const machine = await stand.machine('runners-1', { metadata });
    const held = { ...claim, uid: machine.metadata.uid };
    const host = await stand.host({ claim: held, used: true, release });
    return { stand, machine, held, host };
  }

  it('is taken off, also while the provider answers nobody', async () => {
    const { stand, machine, held, host } = await ordered();
    stand.living = [machine];
    stand.meanwhile = () => expect.fail('the provider was asked');
    expect(await act(stand, 'withdraw', host)).toBe('asked');
    expect((await stand.storedHost()).spec).toEqual({ claim: held, used: true });
  });

  it('is not taken off when the machine has left since, or another order came in the same moment', async () => {
    const { stand, machine, host } = await ordered();
    expect(await act(stand, 'withdraw', host)).toBe('overtaken');
    stand.living = [machine];
    const own = { ...release, machineUid: machine.metadata.uid };
    stand.beforeNext('PATCH', () => stand.changeHost({ spec: { release: own } }));
    expect(await act(stand, 'withdraw', host)).toBe('conflict');
    expect((await stand.storedHost()).spec?.release).toEqual(own);
  });
});

describe('a host that the provider does not know any more', () => {
  function gone(): HostStand {
    const stand = new HostStand();
    stand.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    return stand;
  }

  it('is forgotten, and it is said which object of that name is meant', async () => {
    const stand = gone();
    const host = await stand.host({});
    expect(await act(stand, 'forget', host)).toBe('asked');
    const { uid, resourceVersion } = host.metadata;
    const deletions = stand.transport.requests.filter(({ method }) => method === 'DELETE');
    expect(deletions).toMatchObject([{ body: { preconditions: { uid, resourceVersion } } }]);
    await expect(stand.storedHost()).rejects.toMatchObject({ kind: 'gone' });
  });

  it('is not forgotten when somebody claims it in the same moment', async () => {
    const stand = gone();
    const host = await stand.host({});
    stand.beforeNext('DELETE', () => stand.changeHost({ spec: { claim, used: true } }));
    expect(await act(stand, 'forget', host)).toBe('conflict');
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true });
  });
});

describe('of the wipe before', () => {
  const before = '2025-12-01T00:00:00.000Z';
  const wipe = { order: before, askedAt: before, startedAt: before, renamedAt: before, completedAt: before };

  it('nothing is left when the next one is asked for', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, lastOwner: claim, used: true, release }, { wipe });
    expect(await act(stand, 'wipe', host)).toBe('asked');
    const asked = { order: orderedAt, ownerUid: claim.uid, askedAt: orderedAt };
    expect((await stand.storedHost()).status?.wipe).toEqual(asked);
  });

  it('nothing is left when the next one is seen to begin', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release }, { wipe });
    stand.server = { ...stand.server, ...wiping };
    expect(await act(stand, 'note-start', host)).toBe('asked');
    expect((await stand.storedHost()).status?.wipe).toEqual({ ...begun, ownerUid: '' });
  });
});

it('a host whose rent ends says since when, and not since when it was in use', async () => {
  const stand = new HostStand();
  const long = '2025-06-01T00:00:00.000Z';
  const ended = { ...release, policy: 'terminate' };
  const host = await stand.host({ claim, used: true, release: ended }, { state: 'Owned', since: long });
  expect(await act(stand, 'end', host)).toBe('asked');
  const { state, since } = (await stand.storedHost()).status ?? {};
  expect([state, since]).toEqual(['Terminating', timeText(stand.now())]);
});
