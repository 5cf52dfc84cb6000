/** Each step proves its premise from what is stored and from the server itself, also when that changes meanwhile. */
import { describe, expect, it } from 'vitest';
import { act } from '../../../test/host-acts.ts';
import { hostId, HostStand, serverCalled } from '../../../test/host-stand.ts';
import { finalizers } from '../../api/finalizers.ts';
import { FleetError } from '../../errors/fleet-error.ts';

const orderedAt = '2026-01-01T00:00:00.000Z';
const claim = { namespace: 'default', name: 'runners-1', uid: 'gone' };
const release = { policy: 'pool', poolPrefix: 'pool-', orderedBy: 'machine', orderedAt };
const hold = { reason: 'look at it', since: orderedAt };
const wiping = { status: 'reinstalling', statusText: 'reinstalling' } as const;

describe('a wipe', () => {
  it('is asked for when all is as it was, and written down before', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release });
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['asked', ['reinstall']]);
    expect((await stand.storedHost()).status?.wipe).toMatchObject({ order: orderedAt });
  });

  it('to a family that is not on offer goes to the default of the type, and that is written down', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release: { ...release, osFamily: 'Cheetah' } });
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['asked', ['reinstall']]);
    expect((await stand.storedHost()).status?.wipe).toMatchObject({ missingFamily: 'Cheetah' });
    stand.server = { ...stand.server, status: 'reinstalling', statusText: 'reinstalling' };
    expect(await act(stand, 'note-start', await stand.storedHost())).toBe('asked');
    expect((await stand.storedHost()).status?.wipe).toMatchObject({ missingFamily: 'Cheetah' });
  });

  it('is not asked for when the order is gone by now', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release });
    stand.changeHost({ spec: { release: null } });
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['overtaken', []]);
  });

  it('is not asked for when a person keeps the host aside while the provider is asked', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release });
    stand.meanwhile = () => stand.changeHost({ spec: { hold } });
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['conflict', []]);
  });

  it.for([
    ['none', {}],
    ['one of machines', { poolPrefix: 'runners-' }],
  ] as const)(
    'is not asked for when the order has no pool prefix that can be used: %s',
    async ([, prefix]) => {
      const stand = new HostStand();
      const { poolPrefix: _, ...order } = release;
      const host = await stand.host({ claim, used: true, release: { ...order, ...prefix } });
      expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['rejected', []]);
      expect((await stand.storedHost()).status?.wipe).toBeUndefined();
    },
  );

  it('is not asked for by one who leads no longer', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release });
    stand.mayAct = false;
    expect([await act(stand, 'wipe', host), stand.calls]).toEqual(['notYet', []]);
  });
});

describe('the end of a rent', () => {
  const order = { ...release, policy: 'terminate' };

  it('within the minimum time becomes one scheduled deletion', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release: order });
    stand.isBelowFloor = true;
    expect([await act(stand, 'end', host), stand.calls]).toEqual(['asked', ['schedule']]);
  });

  it('does not come when the order was taken back while the provider was asked', async () => {
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, release: order });
    stand.meanwhile = () => stand.changeHost({ spec: { release: null } });
    expect([await act(stand, 'end', host), stand.calls]).toEqual(['conflict', []]);
  });
});

describe('the MacHost of a host that is kept aside', () => {
  const kept = (stand: HostStand) => stand.storedHost().then(({ metadata }) => metadata.finalizers ?? []);

  it('cannot be deleted until it is let go', async () => {
    const stand = new HostStand();
    const host = await stand.host({ hold });
    expect(await act(stand, 'keep', host)).toBe('asked');
    expect(await kept(stand)).toEqual([finalizers.hold.key]);
    stand.changeHost({ spec: { hold: null } });
    expect(await act(stand, 'unkeep', await stand.storedHost())).toBe('asked');
    expect(await kept(stand)).toEqual([]);
  });

  it.for<readonly [string, object]>([
    ['a claim', { claim }],
    ['an order', { release }],
  ])('stays with %s when somebody has deleted it, also when it is let go', async ([, spec]) => {
    const stand = new HostStand();
    await stand.host({ hold, ...spec });
    stand.changeHost({ metadata: { finalizers: [finalizers.hold.key] } });
    stand.deleteHost();
    stand.changeHost({ spec: { hold: null } });
    expect(await act(stand, 'unkeep', await stand.storedHost())).toBe('overtaken');
    expect(await kept(stand)).toEqual([finalizers.hold.key]);
    stand.changeHost({ spec: { claim: null, release: null } });
    expect(await act(stand, 'unkeep', await stand.storedHost())).toBe('asked');
    await expect(stand.storedHost()).rejects.toThrow('not found');
  });

  it('goes with a claim when its server is gone', async () => {
    const stand = new HostStand();
    await stand.host({ hold, claim });
    stand.changeHost({ metadata: { finalizers: [finalizers.hold.key] } });
    stand.deleteHost();
    stand.changeHost({ spec: { hold: null } });
    stand.changeHost({ status: { observed: { status: 'gone' } } }, '/status');
    expect(await act(stand, 'unkeep', await stand.storedHost())).toBe('asked');
    await expect(stand.storedHost()).rejects.toThrow('not found');
  });

  it('is not kept when it is going already, which the API would refuse', async () => {
    const stand = new HostStand();
    await stand.host({ hold });
    stand.changeHost({ metadata: { finalizers: ['example.com/backup'] } });
    stand.deleteHost();
    expect(await act(stand, 'keep', await stand.storedHost())).toBe('overtaken');
  });

  it('is not kept when it was let go meanwhile, nor let go when it is held again', async () => {
    const stand = new HostStand();
    const host = await stand.host({ hold });
    stand.changeHost({ spec: { hold: null } });
    expect(await act(stand, 'keep', host)).toBe('overtaken');
    stand.changeHost({ spec: { hold }, metadata: { finalizers: [finalizers.hold.key] } });
    expect(await act(stand, 'unkeep', host)).toBe('overtaken');
  });
});

describe('an answer that does not find the server', () => {
  it.for([
    ['an order', { claim, used: true, release }],
    ['files of somebody', { claim, used: true }],
  ] as const)('does not make a host gone that has %s', async ([, spec]) => {
    const stand = new HostStand();
    const host = await stand.host(spec);
    stand.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    expect(await act(stand, 'wipe', host)).toBe('notYet');
    expect((await stand.storedHost()).status?.observed?.status).toBe('ready');
  });

  it('makes one gone that nobody ever used', async () => {
    const stand = new HostStand();
    const host = await stand.host({});
    stand.meanwhile = () => {
      throw new FleetError('gone', { reason: 'NotFound', message: 'not found' });
    };
    expect(await act(stand, 'promote', host)).toBe('overtaken');
    expect((await stand.storedHost()).status?.observed?.status).toBe('gone');
  });
});

describe('a host', () => {
  it('is not counted as wiped because a listing said ready: the server itself is asked', async () => {
    const stand = new HostStand();
    const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
    const host = await stand.host({ claim, used: true, release }, { wipe });
    stand.server = { ...serverCalled('pool-1'), ...wiping };
    expect(await act(stand, 'note-complete', host)).toBe('overtaken');
    expect((await stand.storedHost()).status?.installEpoch).toBeUndefined();
  });

  it('is offered in one write, and not when somebody else has named the server meanwhile', async () => {
    const stand = new HostStand();
    const wipe = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt, completedAt: orderedAt };
    const host = await stand.host({ claim, used: true, release }, { wipe });
    stand.server = serverCalled('somebody-else');
    expect(await act(stand, 'offer', host)).toBe('overtaken');
    expect((await stand.storedHost()).spec).toEqual({ claim, used: true, release });
    stand.server = serverCalled('pool-1');
    expect(await act(stand, 'offer', await stand.storedHost())).toBe('asked');
    expect((await stand.storedHost()).spec).toEqual({});
  });

  const begun = { order: orderedAt, askedAt: orderedAt, startedAt: orderedAt };
  const ended = { ...release, policy: 'terminate' };
  it.for([
    ['wipe', { release }, {}, ['reinstall']],
    ['park', { release }, { wipe: begun }, [`rename pool-${hostId}`, 'seen']],
    ['end', { release: ended }, {}, ['delete']],
    ['end', { release: ended }, {}, ['touched', 'schedule']],
  ] as const)('is said to be touched before each request to change it: %s', async (given) => {
    const [kind, spec, status, then] = given;
    const stand = new HostStand();
    const host = await stand.host({ claim, used: true, ...spec }, status);
    if (kind === 'park') stand.server = { ...serverCalled('runners-1'), ...wiping };
    stand.isBelowFloor = then.length > 1;
    expect(await act(stand, kind, host)).toBe('asked');
    expect(stand.progress).toEqual(['seen', 'touched', ...then]);
  });

  it('is given the name of a machine that lives, and of no other', async () => {
    const stand = new HostStand();
    const machine = await stand.machine('runners-1', {
      metadata: { annotations: { 'muster.dev/host': hostId } },
    });
    const host = await stand.host({ claim: { ...claim, uid: machine.metadata.uid }, used: true });
    expect([await act(stand, 'promote', host), stand.calls]).toEqual(['overtaken', []]);
    stand.living = [machine];
    expect([await act(stand, 'promote', await stand.storedHost()), stand.calls]).toEqual([
      'asked',
      ['rename runners-1'],
    ]);
    expect(stand.progress.slice(-4)).toEqual(['seen', 'touched', 'rename runners-1', 'seen']);
  });
});
