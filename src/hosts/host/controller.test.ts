/** Each step proves its premise from the stored object and the server, also when they change meanwhile. */
import { describe, expect, it } from 'vitest';
import { act } from '../../../lab/harness/host-actions.ts';
import { hostId, HostHarness, serverCalled } from '../../../lab/harness/host-harness.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const hold = { reason: 'look at it', since: orderedAt };
const wiping = { status: 'reinstalling', statusText: 'reinstalling' } as const;

describe('a wipe', () => {
  it('is requested when its premise holds, and recorded before the request', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['requested', ['reinstall']]);
    expect((await harness.storedHost()).status?.wipe).toMatchObject({ order: orderedAt });
  });

  it('uses the default image when the family is not on offer, and records that', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: { ...release, osFamily: 'Cheetah' } });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['requested', ['reinstall']]);
    expect((await harness.storedHost()).status?.wipe).toMatchObject({ missingFamily: 'Cheetah' });
    harness.server = { ...harness.server, status: 'reinstalling', statusText: 'reinstalling' };
    expect(await act(harness, 'record-wipe-start', await harness.storedHost())).toBe('requested');
    expect((await harness.storedHost()).status?.wipe).toMatchObject({ missingFamily: 'Cheetah' });
  });

  it('is not requested when the order is gone', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    harness.changeHost({ spec: { release: null } });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['precondition-lost', []]);
  });

  it('is not requested when an operator holds the host while the provider answers', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    harness.meanwhile = () => harness.changeHost({ spec: { hold } });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['conflict', []]);
  });

  it.for([
    ['none', {}],
    ['one of machines', { poolPrefix: 'runners-' }],
  ] as const)('is not requested when the order has no valid pool prefix: %s', async ([, prefix]) => {
    const harness = new HostHarness();
    const { poolPrefix: _, ...order } = release;
    const host = await harness.host({ claim, used: true, release: { ...order, ...prefix } });
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['rejected', []]);
    expect((await harness.storedHost()).status?.wipe).toBeUndefined();
  });

  it('is not requested by a replica that no longer leads', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release });
    harness.mayAct = false;
    expect([await act(harness, 'wipe', host), harness.calls]).toEqual(['notYet', []]);
  });
});

describe('the end of a rent', () => {
  const order = { ...release, policy: 'terminate' };

  it('becomes a scheduled deletion within the minimum rental period', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: order });
    harness.isBelowFloor = true;
    expect([await act(harness, 'terminate', host), harness.calls]).toEqual(['requested', ['schedule']]);
  });

  it('is not requested when the order is withdrawn while the provider answers', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release: order });
    harness.meanwhile = () => harness.changeHost({ spec: { release: null } });
    expect([await act(harness, 'terminate', host), harness.calls]).toEqual(['conflict', []]);
  });
});

describe('the MacHost of a held host', () => {
  const kept = (harness: HostHarness) =>
    harness.storedHost().then(({ metadata }) => metadata.finalizers ?? []);

  it('cannot be deleted until the hold is lifted', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ hold });
    expect(await act(harness, 'keep', host)).toBe('requested');
    expect(await kept(harness)).toEqual([finalizers.hold.key]);
    harness.changeHost({ spec: { hold: null } });
    expect(await act(harness, 'unkeep', await harness.storedHost())).toBe('requested');
    expect(await kept(harness)).toEqual([]);
  });

  it.for<readonly [string, object]>([
    ['a claim', { claim }],
    ['an order', { release }],
  ])('with %s is kept while deleting, also after the hold is lifted', async ([, spec]) => {
    const harness = new HostHarness();
    await harness.host({ hold, ...spec });
    harness.changeHost({ metadata: { finalizers: [finalizers.hold.key] } });
    harness.deleteHost();
    harness.changeHost({ spec: { hold: null } });
    expect(await act(harness, 'unkeep', await harness.storedHost())).toBe('precondition-lost');
    expect(await kept(harness)).toEqual([finalizers.hold.key]);
    harness.changeHost({ spec: { claim: null, release: null } });
    expect(await act(harness, 'unkeep', await harness.storedHost())).toBe('requested');
    await expect(harness.storedHost()).rejects.toThrow('not found');
  });

  it('with a claim is deleted when its server is gone', async () => {
    const harness = new HostHarness();
    await harness.host({ hold, claim });
    harness.changeHost({ metadata: { finalizers: [finalizers.hold.key] } });
    harness.deleteHost();
    harness.changeHost({ spec: { hold: null } });
    harness.changeHost({ status: { observed: { status: 'gone' } } }, '/status');
    expect(await act(harness, 'unkeep', await harness.storedHost())).toBe('requested');
    await expect(harness.storedHost()).rejects.toThrow('not found');
  });

  it('gets no finalizer while deleting, because the API would reject it', async () => {
    const harness = new HostHarness();
    await harness.host({ hold });
    harness.changeHost({ metadata: { finalizers: ['example.com/backup'] } });
    harness.deleteHost();
    expect(await act(harness, 'keep', await harness.storedHost())).toBe('precondition-lost');
  });

  it('keeps its finalizers when the hold changed meanwhile', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ hold });
    harness.changeHost({ spec: { hold: null } });
    expect(await act(harness, 'keep', host)).toBe('precondition-lost');
    harness.changeHost({ spec: { hold }, metadata: { finalizers: [finalizers.hold.key] } });
    expect(await act(harness, 'unkeep', host)).toBe('precondition-lost');
  });
});

describe('an answer that does not find the server', () => {
  it.for([
    ['an order', { claim, used: true, release }],
    ['a used disk', { claim, used: true }],
  ] as const)('does not mark a host as gone that has %s', async ([, spec]) => {
    const harness = new HostHarness();
    const host = await harness.host(spec);
    harness.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    expect(await act(harness, 'wipe', host)).toBe('notYet');
    expect((await harness.storedHost()).status?.observed?.status).toBe('ready');
  });

  it('marks a host as gone that was never used', async () => {
    const harness = new HostHarness();
    const host = await harness.host({});
    harness.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    expect(await act(harness, 'rename-to-machine', host)).toBe('precondition-lost');
    expect((await harness.storedHost()).status?.observed?.status).toBe('gone');
  });
});

describe('a host', () => {
  it('is not counted as wiped on a listing alone: the server is read', async () => {
    const harness = new HostHarness();
    const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
    const host = await harness.host({ claim, used: true, release }, { wipe });
    harness.server = { ...serverCalled('pool-1'), ...wiping };
    expect(await act(harness, 'record-wipe-completion', host)).toBe('precondition-lost');
    expect((await harness.storedHost()).status?.installEpoch).toBeUndefined();
  });

  it('is offered in one write, and not when the server was renamed meanwhile', async () => {
    const harness = new HostHarness();
    const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt, completedAt: orderedAt };
    const spec = { claim, used: true, release, lastOwner: claim };
    const host = await harness.host(spec, { wipe });
    harness.server = serverCalled('somebody-else');
    expect(await act(harness, 'return-to-pool', host)).toBe('precondition-lost');
    expect((await harness.storedHost()).spec).toEqual(spec);
    harness.server = serverCalled('pool-1');
    expect(await act(harness, 'return-to-pool', await harness.storedHost())).toBe('requested');
    expect((await harness.storedHost()).spec).toEqual({});
  });

  it('has the rename into the pool on record before the request, whose answer may be lost', async () => {
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, release }, { wipe: begun });
    harness.server = { ...serverCalled('runners-1'), ...wiping };
    harness.nextFailure = new FleetError('unavailable', { reason: 'OutcomeUnknown', message: 'no answer' });
    expect(await act(harness, 'rename-to-pool', host)).toBe('unavailable');
    expect((await harness.storedHost()).status?.wipe?.renamedAt).toBeDefined();
  });

  const begun = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
  const ended = { ...release, policy: 'terminate' };
  it.for([
    ['wipe', { release }, {}, ['reinstall']],
    ['rename-to-pool', { release }, { wipe: begun }, [`rename pool-${hostId}`, 'seen']],
    ['terminate', { release: ended }, {}, ['delete']],
    ['terminate', { release: ended }, {}, ['touched', 'schedule']],
  ] as const)('is reported as touched before each request that changes it: %s', async (given) => {
    const [kind, spec, status, then] = given;
    const harness = new HostHarness();
    const host = await harness.host({ claim, used: true, ...spec }, status);
    if (kind === 'rename-to-pool') harness.server = { ...serverCalled('runners-1'), ...wiping };
    harness.isBelowFloor = then.length > 1;
    expect(await act(harness, kind, host)).toBe('requested');
    expect(harness.progress).toEqual(['seen', 'touched', ...then]);
  });

  it('gets the name of a live machine only', async () => {
    const harness = new HostHarness();
    const machine = await harness.machine('runners-1', {
      metadata: { annotations: { 'muster.dev/host': hostId } },
    });
    const host = await harness.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true });
    expect([await act(harness, 'rename-to-machine', host), harness.calls]).toEqual(['precondition-lost', []]);
    harness.living = [machine];
    expect([await act(harness, 'rename-to-machine', await harness.storedHost()), harness.calls]).toEqual([
      'requested',
      ['rename runners-1'],
    ]);
    expect(harness.progress.slice(-4)).toEqual(['seen', 'touched', 'rename runners-1', 'seen']);
  });
});
