import { describe, expect, it } from 'vitest';
import { Zone } from '../api/ids.ts';
import { seenOfHosts, wantedOfHosts, type FleetView, type HostRecord } from './host-situation.ts';
import { cellText, verdictOn } from './host-table.ts';
import { timeText } from './time-text.ts';

const now = Date.UTC(2026, 0, 1, 12);
const minute = 60_000;
const claim = { namespace: 'ci', name: 'runners-1', uid: 'u1' };
const order = {
  policy: 'pool',
  poolPrefix: 'pool-',
  orderedBy: 'machine',
  machineUid: 'u1',
  orderedAt: timeText(now - 60 * minute),
};
const { machineUid: _, ...unsigned } = order;
const ofPerson = { ...unsigned, orderedBy: 'person' };
const live: FleetView = {
  isLive: () => true,
  isStaying: () => false,
  isBound: () => false,
  isServing: () => false,
  isHome: () => false,
  poolPrefixes: ['pool-'],
  claimPrefix: 'runners-',
};

type Facts = Omit<Partial<HostRecord['status']>, 'observed'> & {
  readonly name?: string;
  readonly seen?: string;
  readonly scheduled?: boolean;
};

function host(
  spec: object,
  { name = 'pool-1', seen = 'ready', scheduled = false, ...status }: Facts = {},
): HostRecord {
  const observed = {
    name,
    status: seen,
    delivered: true,
    zone: Zone.parse('z'),
    deletionScheduled: scheduled,
  };
  return { id: 'h', spec: structuredClone(spec), status: { ...status, observed } };
}

function told(record: HostRecord, view: FleetView = live): string {
  const { state, reason, step } = verdictOn(record, view, now);
  return `${state} ${reason} ${step}`;
}

it('has a cell for each pair', () => {
  const cells = wantedOfHosts.flatMap((wanted) => seenOfHosts.map((seen) => cellText(wanted, seen)));
  expect(cells.every((text) => text !== '')).toBe(true);
  expect(cells).toHaveLength(wantedOfHosts.length * seenOfHosts.length);
});

describe('an order to give up a host whose machine lives', () => {
  const staying = { ...live, isStaying: () => true };
  it.for([
    [
      'is not carried out',
      host({ claim, release: order }, { name: 'runners-1' }),
      'Owned OrderRefused withdraw',
    ],
    [
      'does not end its rent',
      host({ claim, release: { ...ofPerson, policy: 'terminate' } }, { name: 'runners-1' }),
      'Owned OrderRefused withdraw',
    ],
    [
      'is taken off before the host is adopted',
      host({ claim, release: order }),
      'Adopting OrderRefused withdraw',
    ],
    [
      'is taken off also when it says that a machine gave it',
      host({ claim, release: order }, { name: 'runners-1' }),
      'Owned OrderRefused withdraw',
    ],
    [
      'stays while the host is kept aside',
      host({ claim, release: ofPerson, hold: { reason: 'a look', since: order.orderedAt } }),
      'Quarantined OrderRefused none',
    ],
    ['is carried out where nobody has it', host({ release: ofPerson }), 'Releasing Releasing wipe'],
  ] as const)('%s', ([, record, expected]) => {
    expect(told(record, staying)).toBe(expected);
  });

  it('waits while the machine leaves and has not said what it wants itself', () => {
    expect(told(host({ claim, release: ofPerson }, { name: 'runners-1' }))).toBe('Owned OrderRefused none');
    expect(told(host({ claim, release: order }, { name: 'runners-1' }))).toBe('Releasing Releasing wipe');
    const of = { ...order, machineUid: 'u2' };
    expect(told(host({ claim, release: of }, { name: 'runners-1' }))).toBe('Owned OrderRefused none');
  });

  it('waits while a machine that has no claim says that it has the host', () => {
    const serving = { ...live, isLive: () => false, isServing: () => true };
    expect(told(host({ claim, release: ofPerson }), serving)).toBe('Stranded OrderRefused none');
    expect(told(host({ release: ofPerson }), serving)).toMatch(/OrderRefused none$/);
    const home = { ...serving, isHome: () => true };
    expect(told(host({ release: ofPerson }), home)).toMatch(/OrderRefused withdraw$/);
    expect(told(host({ claim, release: ofPerson }), home)).toBe('Stranded OrderRefused none');
  });
});

describe('a host that nobody holds', () => {
  it.for([
    ['under a pool name is free', host({}), 'Pooled Pooled none'],
    [
      'that is not usable yet is not ready to be taken',
      host({}, { seen: 'rebooting' }),
      'Pooled Settling none',
    ],
    [
      "under a name of no pool and no machine is somebody else's",
      host({}, { name: 'apple-silicon-1' }),
      'Foreign Foreign none',
    ],
    ['under the name of a machine is stranded', host({}, { name: 'runners-9' }), 'Stranded Stranded none'],
    [
      'under a pending name is stranded',
      host({}, { name: 'tuist-claim-pending-1' }),
      'Stranded Stranded none',
    ],
    ['whose disk was used is stranded, whatever its name', host({ used: true }), 'Stranded Stranded none'],
    ['whose rent ends is left alone', host({}, { scheduled: true }), 'Terminating Deleted none'],
    ['that is gone is forgotten', host({}, { seen: 'gone' }), 'Broken HostGone forget'],
    [
      'that is kept aside is left alone',
      host({ hold: { reason: 'x', since: timeText(now) } }),
      'Quarantined Quarantined none',
    ],
  ] as const)('%s', ([, record, expected]) => expect(told(record)).toBe(expected));
});

describe('a host with an owner', () => {
  it.for([
    ['is given its name', host({ claim }), 'Adopting Adopting promote'],
    ['waits while it cannot be named', host({ claim }, { seen: 'reinstalling' }), 'Adopting Adopting none'],
    [
      'is let go when somebody else took it first',
      host({ claim }, { name: 'other-1' }),
      'Adopting RenamedElsewhere yield',
    ],
    ['is its own under its name', host({ claim }, { name: 'runners-1' }), 'Owned Owned none'],
    [
      'stays with it when renamed later, and is not renamed back',
      host({ claim }, { name: 'pool-7', state: 'Owned' }),
      'Owned RenamedElsewhere none',
    ],
    [
      'is let go when its rent is to end before it was given its name',
      host({ claim }, { scheduled: true }),
      'Adopting RentEnds yield',
    ],
    [
      'is let go if it is faulty before it is named',
      host({ claim }, { seen: 'error' }),
      'Broken Broken yield',
    ],
    [
      'whose rent ends is told',
      host({ claim }, { name: 'runners-1', scheduled: true }),
      'Owned RentEnds none',
    ],
  ] as const)('%s', ([, record, expected]) => expect(told(record)).toBe(expected));

  it('that was served by it keeps it, whatever somebody calls it before that was written down', () => {
    const bound = { ...live, isBound: () => true };
    expect(told(host({ claim }, { name: 'other-1' }), bound)).toBe('Owned RenamedElsewhere none');
    const faulty = [{ name: 'runners-1' }, { state: 'Owned' }] as const;
    for (const facts of faulty)
      expect(told(host({ claim }, { seen: 'error', ...facts }))).toBe('Broken Broken none');
    expect(told(host({ claim }, { seen: 'error' }), bound)).toBe('Broken Broken none');
  });

  it('that is gone is forgotten by one that only claimed it, and kept on record by one that it served', () => {
    const bound = { ...live, isBound: () => true };
    const gone = host({ claim }, { seen: 'gone' });
    expect([told(gone), told(gone, bound)]).toEqual(['Broken HostGone forget', 'Broken HostGone none']);
  });

  it('that does not exist any more is stranded', () => {
    const dead = { ...live, isLive: () => false };
    expect(told(host({ claim, used: true }, { name: 'runners-1' }), dead)).toBe('Stranded Stranded none');
  });
});

it('a host under a name that we gave it is free, also when nobody uses that prefix any more', () => {
  expect(told({ ...host({}, { name: 'special-0a4f' }), id: '0a4f' })).toBe('Pooled Pooled none');
});

describe('a host whose wipe was cut off', () => {
  const cutOff = { seen: 'interrupted' };
  it('is wiped again as long as somebody wants it wiped, however far the wipe was', () => {
    const wipe = { order: order.orderedAt, askedAt: timeText(now), startedAt: timeText(now) };
    const released = { claim, used: true, release: order };
    expect(told(host(released, { ...cutOff, wipe }))).toBe('Releasing Releasing wipe');
  });

  it('is otherwise used by nobody, and left to a person', () => {
    expect(told(host({}, cutOff))).toBe('Broken Broken none');
    expect(told(host({ claim }, cutOff))).toBe('Broken Broken none');
  });
});

describe('a host that is given up', () => {
  const at = (minutesAgo: number): string => timeText(now - minutesAgo * minute);
  const released = { claim, used: true, release: order };
  const wiped = { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) };
  it.for([
    ['is wiped first', {}, 'Releasing Releasing wipe'],
    [
      'whose wipe was asked for by an earlier order is wiped',
      { wipe: { order: 'of another order', askedAt: at(90), startedAt: at(89), completedAt: at(70) } },
      'Releasing Releasing wipe',
    ],
    [
      'is not taken for wiped because it is ready',
      { wipe: { order: order.orderedAt, askedAt: at(1) } },
      'Releasing AwaitingReinstall none',
    ],
    [
      'whose wipe never began is wiped again',
      { wipe: { order: order.orderedAt, askedAt: at(6) } },
      'Releasing Releasing wipe',
    ],
    [
      'is seen being wiped',
      { seen: 'reinstalling', wipe: { order: order.orderedAt, askedAt: at(1) } },
      'Reinstalling Reinstalling note-start',
    ],
    [
      'is named for the pool while it is wiped',
      {
        seen: 'reinstalling',
        name: 'runners-1',
        wipe: { order: order.orderedAt, askedAt: at(2), startedAt: at(1) },
      },
      'Reinstalling Reinstalling park',
    ],
    [
      'waits for the end of its wipe',
      { seen: 'reinstalling', wipe: { order: order.orderedAt, askedAt: at(2), startedAt: at(1) } },
      'Reinstalling Reinstalling none',
    ],
    [
      'is seen wiped',
      { wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19) } },
      'Reinstalling Reinstalling note-complete',
    ],
    [
      'is not offered under another name',
      {
        name: 'runners-1',
        wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) },
      },
      'Reinstalling Reinstalling park',
    ],
    [
      'is not offered while a late rename may land',
      {
        wipe: { ...wiped, renamedAt: at(2) },
      },
      'Reinstalling Settling none',
    ],
    [
      'is offered after all of that',
      {
        wipe: { ...wiped, renamedAt: at(18) },
      },
      'Reinstalling Reinstalling offer',
    ],
    [
      'is not offered when its rent ends',
      {
        scheduled: true,
        wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) },
      },
      'Terminating Deleted none',
    ],
  ] as const)('%s', ([, facts, expected]) => expect(told(host(released, facts))).toBe(expected));

  it.for([
    ['ready', 'Terminating Deleting end'],
    ['reinstalling', 'Terminating Deleting end'],
    ['gone', 'Terminating Deleted forget'],
  ] as const)('for good, and seen %s: %s', ([seen, expected]) =>
    expect(told(host({ ...released, release: { ...order, policy: 'terminate' } }, { seen }))).toBe(expected),
  );
});
