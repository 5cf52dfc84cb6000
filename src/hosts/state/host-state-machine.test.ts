import { describe, expect, it } from 'vitest';
import { Zone } from '../../api/names/ids.ts';
import type { HostRecord } from './host-record.ts';
import { annotations } from '../../api/names/annotations.ts';
import { fleetViewOf } from './host-view.ts';
import { seenOfHosts, wantedOfHosts, type FleetView } from './host-state.ts';
import { transitionText, nextTransition } from './host-state-machine.ts';
import type { MachineObject } from './objects.ts';
import { timeText } from '../../platform/time-text.ts';

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
const deletionTimestamp = '2026-01-01T11:00:00Z';

/** The machine that the claim of these hosts names. Its annotation names the host. */
function machine({ metadata, ...over }: Partial<MachineObject> = {}): MachineObject {
  const named = { namespace: 'ci', name: 'runners-1', uid: 'u1', resourceVersion: '1' };
  return { ...over, metadata: { annotations: { [annotations.host.key]: 'h' }, ...named, ...metadata } };
}

const namedAs = (name: string, uid = 'u9') =>
  machine({ metadata: { name, uid, resourceVersion: '1', annotations: {} } });
const deleting = machine({
  metadata: { name: 'runners-1', uid: 'u1', resourceVersion: '1', deletionTimestamp },
});
const bound = machine({ status: { serverID: 'h' } });

function viewOf(machines: readonly MachineObject[], hosts: readonly HostRecord[] = []): FleetView {
  return fleetViewOf({ machines, hosts }, { poolPrefixes: ['pool-'], claimPrefix: 'runners-' });
}

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

function reported(record: HostRecord, ...machines: readonly MachineObject[]): string {
  const { state, reason, step } = nextTransition(record, viewOf(machines), now);
  return `${state} ${reason} ${step}`;
}

it('has a cell for each pair', () => {
  const cells = wantedOfHosts.flatMap((wanted) => seenOfHosts.map((seen) => transitionText(wanted, seen)));
  expect(cells.every((text) => text !== '')).toBe(true);
  expect(cells).toHaveLength(wantedOfHosts.length * seenOfHosts.length);
});

describe('an order to release a host for which a machine speaks', () => {
  const mine = { name: 'runners-1' };
  it.for([
    ['is dropped, also when the order names a machine', { claim, release: order }, mine, [machine()]],
    ['does not end its rent', { claim, release: { ...ofPerson, policy: 'terminate' } }, mine, [machine()]],
    ['is dropped before the host is adopted', { claim, release: order }, {}, [machine()]],
    ['is dropped where the machine speaks by name', { release: ofPerson }, mine, [namedAs('runners-1')]],
    ['is dropped where a machine without a claim is bound to the host', { release: ofPerson }, {}, [bound]],
    [
      'of an operator is dropped while the machine is being deleted',
      { claim, release: ofPerson },
      mine,
      [deleting],
    ],
    [
      'of another machine is dropped while the claimant is being deleted',
      { claim, release: { ...order, machineUid: 'u2' } },
      mine,
      [deleting],
    ],
    [
      'is dropped where only one of two machines ordered it',
      { claim, release: order },
      mine,
      [deleting, { ...bound, metadata: { ...bound.metadata, name: 'other', uid: 'u2' } }],
    ],
  ] as const)('%s', ([, spec, facts, machines]) => {
    expect(reported(host(spec, facts), ...machines)).toMatch(/ OrderRefused cancel-order$/);
  });

  it('stays while the host is held', () => {
    const hold = { reason: 'a look', since: order.orderedAt };
    expect(reported(host({ claim, release: ofPerson, hold }), machine())).toBe(
      'Quarantined OrderRefused none',
    );
  });

  it.for([
    ['no machine speaks for the host', { release: ofPerson }, {}, []],
    ['the deleting machine gave the order', { claim, release: order }, mine, [deleting]],
    [
      'the machine was created again by name after the order',
      { claim, release: order },
      mine,
      [deleting, namedAs('runners-1')],
    ],
    [
      'an operator overruled every way in which the machine speaks',
      { release: { ...ofPerson, overrules: [{ uid: 'u9', by: ['name'] }] } },
      mine,
      [namedAs('runners-1')],
    ],
    [
      'a machine of another namespace has only the name',
      { claim: { ...claim, namespace: 'elsewhere' }, release: order },
      mine,
      [namedAs('runners-1')],
    ],
  ] as const)('is carried out where %s', ([, spec, facts, machines]) => {
    expect(reported(host(spec, facts), ...machines)).toBe('Releasing Releasing wipe');
  });

  it('of an operator overrules only the ways to speak that it lists', () => {
    const release = { ...ofPerson, overrules: [{ uid: 'u1', by: ['name'] }] };
    expect(reported(host({ release }, mine), machine())).toBe('Owned OrderRefused cancel-order');
  });

  it('of the last owner does not overrule a machine that had a host', () => {
    const had = { ...namedAs('runners-1'), status: { serverID: 'another' } };
    expect(reported(host({ claim, release: order }, mine), had)).toBe('Owned OrderRefused cancel-order');
  });
});

describe('a server that a person renamed', () => {
  const at = (minutesAgo: number): string => timeText(now - minutesAgo * minute);
  const strange = { name: 'keep-for-me' };
  const released = { claim, used: true, release: order };
  const wipe = { order: order.orderedAt, askedAt: at(20), startedAt: at(19) };
  const left = 'Foreign NamedByPerson leave-to-person';
  it.for([
    ['before its wipe', released, strange],
    ['during its wipe', released, { ...strange, seen: 'reinstalling', wipe }],
    ['when its wipe is done', released, { ...strange, wipe }],
    [
      'while the rename settles',
      released,
      { ...strange, wipe: { ...wipe, completedAt: at(1), renamedAt: at(1) } },
    ],
    ['before the end of its rent', { ...released, release: { ...order, policy: 'terminate' } }, strange],
    ['to a name like those of machines', released, { name: 'runners-of-a-person' }],
    ['while its machine is gone', { claim, used: true }, strange],
  ] as const)('%s is left to the person', ([, spec, facts]) =>
    expect(reported(host(spec, facts))).toBe(left),
  );

  it('is left to the manager that gave the pending name after the order', () => {
    const release = { ...ofPerson, serverName: 'pool-h' };
    const facts = { name: 'tuist-claim-pending-1', wipe };
    expect(reported(host({ used: true, release }, facts))).toBe(left);
    const older = { ...release, serverName: 'tuist-claim-pending-1' };
    expect(reported(host({ used: true, release: older }, facts))).toBe(
      'Reinstalling Reinstalling record-wipe-completion',
    );
  });

  it('is left alone from then on, even under a name like that of a machine', () => {
    const spec = { used: true, personName: 'runners-of-a-person' };
    expect(reported(host(spec, { name: 'runners-of-a-person' }))).toBe('Foreign NamedByPerson none');
    expect(reported(host(spec, { name: 'runners-other' }))).toBe('Stranded Stranded none');
  });

  it('keeps an order that was given under the same name', () => {
    const release = { ...ofPerson, serverName: 'keep-for-me' };
    expect(reported(host({ release }, strange))).toBe('Releasing Releasing wipe');
  });
});

describe('a MacHost restored from a backup made during a wipe', () => {
  const at = (minutesAgo: number): string => timeText(now - minutesAgo * minute);
  const started = { order: order.orderedAt, askedAt: at(40), startedAt: at(39), ownerUid: 'u1' };
  const parked = { ...started, renamedAt: at(38), parkedAt: at(38) };
  const released = { claim, lastOwner: claim, used: true, release: order };
  const later = { ...claim, uid: 'u2' };
  const mine = { name: 'runners-1' };

  it.for([
    ['its server left the pool name', released, { ...mine, wipe: parked }],
    ['its server left the pool name', released, { ...mine, wipe: { ...parked, completedAt: at(20) } }],
    ['it began long ago', released, { ...mine, wipe: { ...started, startedAt: at(200) } }],
    [
      'it ended long ago',
      released,
      { ...mine, wipe: { ...started, startedAt: at(220), completedAt: at(200) } },
    ],
    ['another machine had the host', { ...released, lastOwner: later }, { ...mine, wipe: started }],
    [
      'another machine had the host, and no owner is recorded',
      { ...released, lastOwner: later },
      { ...mine, wipe: { ...started, ownerUid: undefined } },
    ],
  ] as const)('is wiped again: %s', ([, spec, facts]) =>
    expect(reported(host(spec, facts))).toBe('Releasing Releasing wipe'),
  );

  it.for([
    ['has its pool name', released, { wipe: parked }, 'record-wipe-completion'],
    [
      'was wiped while its renames were refused',
      released,
      { ...mine, wipe: started },
      'record-wipe-completion',
    ],
    [
      'is given its old name by a late request',
      released,
      { ...mine, wipe: { ...parked, completedAt: at(1), renamedAt: at(1) } },
      'rename-to-pool',
    ],
    [
      'is offered long after its wipe',
      released,
      { wipe: { ...parked, completedAt: at(200), renamedAt: at(200) } },
      'return-to-pool',
    ],
    [
      'was held while its order stood',
      { ...released, lastOwner: later },
      { wipe: { ...parked, ownerUid: 'u2' } },
      'record-wipe-completion',
    ],
  ] as const)('is not wiped again when it %s', ([, spec, facts, step]) =>
    expect(reported(host(spec, facts))).toMatch(new RegExp(` ${step}$`)),
  );
});

describe('a wipe whose order was dropped', () => {
  const at = (minutesAgo: number): string => timeText(now - minutesAgo * minute);
  const asked = { order: order.orderedAt, askedAt: at(2) };
  const started = { ...asked, startedAt: at(1) };
  const mine = { name: 'runners-1' };
  it.for([
    ['is seen to begin', { wipe: asked, seen: 'reinstalling' }, 'record-wipe-start'],
    ['is seen to end, and counted', { wipe: started }, 'record-wipe-completion'],
    ['is awaited while it runs', { wipe: started, seen: 'reinstalling' }, 'none'],
    ['is not awaited when it never began', { wipe: { ...asked, askedAt: at(6) } }, 'none'],
    ['is over when it was counted', { wipe: { ...started, completedAt: at(0) } }, 'none'],
  ] as const)('%s', ([, facts, step]) => {
    expect(reported(host({ used: true }, { ...mine, ...facts }), namedAs('runners-1'))).toMatch(
      new RegExp(` ${step}$`),
    );
  });
});

describe('a host without a claim for which a machine speaks', () => {
  it.for([
    ['by its name', host({ used: true }, { name: 'runners-1' }), namedAs('runners-1')],
    [
      'by the name, where the claim is of an earlier machine',
      host({ claim }, { name: 'runners-1' }),
      namedAs('runners-1'),
    ],
    ['by its status', host({ used: true }), bound],
    ['by its annotation, once the disk was used', host({ used: true }), machine()],
  ] as const)('%s is owned', ([, record, speaker]) =>
    expect(reported(record, speaker)).toBe('Owned SpokenFor none'),
  );

  it('counts as not served for the next claimant, also when unobserved before', () => {
    const facts = { state: 'Owned', reason: 'NotYetObserved' } as const;
    expect(reported(host({ claim, used: true }, facts), machine())).toBe(
      'Adopting Adopting rename-to-machine',
    );
  });

  it('by its annotation alone is free while it is clean: the machine is about to claim it', () =>
    expect(reported(host({}), machine())).toBe('Pooled Pooled none'));
});

describe('a name that ends with the id of its server', () => {
  const left = 'Foreign NamedByPerson leave-to-person';
  const terminate = { ...ofPerson, policy: 'terminate' };

  it.for([
    ['an order to wipe', host({ used: true, release: order }, { name: 'keep-h' })],
    ['an order of a person', host({ used: true, release: ofPerson }, { name: 'keep-h' })],
    ['an order to end the rent', host({ used: true, release: terminate }, { name: 'other-pool-h' })],
    ['a claim of a machine that is gone', host({ claim }, { name: 'keep-h' })],
  ] as const)('belongs to a person under an unused prefix: %s is dropped', ([, record]) =>
    expect(reported(record)).toBe(left),
  );

  it('is not free under an unused prefix', () =>
    expect(reported(host({}, { name: 'keep-h' }))).toBe('Foreign Foreign none'));

  it('belongs to Muster under the prefix of its order, even if unused by now', () => {
    const release = { ...order, poolPrefix: 'old-' };
    expect(reported(host({ used: true, release }, { name: 'old-h' }))).toBe('Releasing Releasing wipe');
  });
});

describe('a host without a claim', () => {
  it.for([
    ['under a pool name is free', host({}), 'Pooled Pooled none'],
    [
      'that is not usable yet is not ready to be taken',
      host({}, { seen: 'rebooting' }),
      'Pooled Settling none',
    ],
    [
      'under a name of no pool and no machine is foreign',
      host({}, { name: 'apple-silicon-1' }),
      'Foreign Foreign none',
    ],
    ['under the name of a machine is stranded', host({}, { name: 'runners-9' }), 'Stranded Stranded none'],
    ['under a pending name is pending', host({}, { name: 'tuist-claim-pending-1' }), 'Pending Pending none'],
    [
      'under a pending name for an hour is stranded',
      host({}, { name: 'tuist-claim-pending-1', pendingSince: timeText(now - 60 * minute) }),
      'Stranded Pending none',
    ],
    [
      'under a pending name is stranded when its disk was used',
      host({ used: true }, { name: 'tuist-claim-pending-1' }),
      'Stranded Pending none',
    ],
    [
      'under a name of no pool and no machine is foreign, also when its disk was used',
      host({ used: true }, { name: 'any' }),
      'Foreign Foreign none',
    ],
    ['whose disk was used is stranded, whatever its name', host({ used: true }), 'Stranded Stranded none'],
    ['whose rent ends is left alone', host({}, { scheduled: true }), 'Terminating Deleted none'],
    ['that is gone is deleted', host({}, { seen: 'gone' }), 'Broken HostGone delete-record'],
    [
      'that is held is left alone',
      host({ hold: { reason: 'x', since: timeText(now) } }),
      'Quarantined Quarantined none',
    ],
  ] as const)('%s', ([, record, expected]) => expect(reported(record)).toBe(expected));
});

describe('a host with an owner', () => {
  it.for([
    ['is given its name', host({ claim }), 'Adopting Adopting rename-to-machine'],
    ['waits while it cannot be named', host({ claim }, { seen: 'reinstalling' }), 'Adopting Adopting none'],
    [
      'loses its claim when another tool took it first',
      host({ claim }, { name: 'runners-9' }),
      'Adopting RenamedElsewhere drop-claim',
    ],
    [
      'is left to a person who renamed the server before Muster did',
      host({ claim }, { name: 'other-1' }),
      'Foreign NamedByPerson leave-to-person',
    ],
    ['is owned under the name of its machine', host({ claim }, { name: 'runners-1' }), 'Owned Owned none'],
    [
      'stays owned when renamed later, and is not renamed back',
      host({ claim }, { name: 'pool-7', state: 'Owned' }),
      'Owned RenamedElsewhere none',
    ],
    [
      'loses its claim when its rent ends before the rename',
      host({ claim }, { scheduled: true }),
      'Adopting RentEnds drop-claim',
    ],
    [
      'loses its claim when faulty before the rename',
      host({ claim }, { seen: 'error' }),
      'Broken Broken drop-claim',
    ],
    [
      'whose rent ends reports that',
      host({ claim }, { name: 'runners-1', scheduled: true }),
      'Owned RentEnds none',
    ],
  ] as const)('%s', ([, record, expected]) => expect(reported(record, machine())).toBe(expected));

  it('is renamed only for a live machine that names it, and never while another server has that name', () => {
    const elsewhere = machine({
      metadata: { name: 'runners-1', uid: 'u1', resourceVersion: '1', annotations: {} },
    });
    for (const one of [deleting, elsewhere])
      expect(reported(host({ claim }), one)).toBe('Adopting Adopting none');
    const other = { ...host({}, { name: 'runners-1' }), id: 'other' };
    const { state, reason, step } = nextTransition(host({ claim }), viewOf([machine()], [other]), now);
    expect([state, reason, step]).toEqual(['Adopting', 'ServerNameTaken', 'none']);
  });

  it('bound to it keeps it, even if renamed before the status says so', () => {
    expect(reported(host({ claim }, { name: 'other-1' }), bound)).toBe('Owned RenamedElsewhere none');
    const faulty = [{ name: 'runners-1' }, { state: 'Owned' }] as const;
    for (const facts of faulty)
      expect(reported(host({ claim }, { seen: 'error', ...facts }), machine())).toBe('Broken Broken none');
    expect(reported(host({ claim }, { seen: 'error' }), bound)).toBe('Broken Broken none');
  });

  it('that is gone is deleted if only claimed, and kept on record if bound', () => {
    const gone = host({ claim }, { seen: 'gone' });
    expect([reported(gone, machine()), reported(gone, bound)]).toEqual([
      'Broken HostGone delete-record',
      'Broken HostGone none',
    ]);
  });

  it('that no longer exists is stranded', () => {
    expect(reported(host({ claim, used: true }, { name: 'runners-1' }))).toBe('Stranded Stranded none');
  });
});

it('a host under a name that Muster gave is free, even if the prefix is unused by now', () => {
  const given = host({}, { name: 'special-0a4f', poolPrefix: 'special-' });
  expect(reported({ ...given, id: '0a4f' })).toBe('Pooled Pooled none');
  expect(reported({ ...given, id: '0a50' })).toBe('Foreign Foreign none');
});

describe('a host whose wipe was cut off', () => {
  const cutOff = { seen: 'interrupted' };
  it('is wiped again while an order stands, whatever the progress', () => {
    const wipe = { order: order.orderedAt, askedAt: timeText(now), startedAt: timeText(now) };
    const released = { claim, used: true, release: order };
    expect(reported(host(released, { ...cutOff, wipe }))).toBe('Releasing Releasing wipe');
  });

  it('is broken without an order, and left to an operator', () => {
    expect(reported(host({}, cutOff))).toBe('Broken Broken none');
    expect(reported(host({ claim }, cutOff), machine())).toBe('Broken Broken none');
  });
});

describe('a host being released', () => {
  const at = (minutesAgo: number): string => timeText(now - minutesAgo * minute);
  const released = { claim, used: true, release: order };
  const wiped = { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) };
  it.for([
    ['is wiped first', {}, 'Releasing Releasing wipe'],
    [
      'whose wipe was requested by an earlier order is wiped',
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
      'Reinstalling Reinstalling record-wipe-start',
    ],
    [
      'gets its pool name while it is wiped',
      {
        seen: 'reinstalling',
        name: 'runners-1',
        wipe: { order: order.orderedAt, askedAt: at(2), startedAt: at(1) },
      },
      'Reinstalling Reinstalling rename-to-pool',
    ],
    [
      'waits for the end of its wipe',
      { seen: 'reinstalling', wipe: { order: order.orderedAt, askedAt: at(2), startedAt: at(1) } },
      'Reinstalling Reinstalling none',
    ],
    [
      'is seen wiped',
      { wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19) } },
      'Reinstalling Reinstalling record-wipe-completion',
    ],
    [
      'is not offered under another name',
      {
        name: 'runners-1',
        wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) },
      },
      'Reinstalling Reinstalling rename-to-pool',
    ],
    [
      'is not offered while a late rename may land',
      {
        wipe: { ...wiped, renamedAt: at(2) },
      },
      'Reinstalling Settling none',
    ],
    [
      'is returned to the pool after that',
      {
        wipe: { ...wiped, renamedAt: at(18) },
      },
      'Reinstalling Reinstalling return-to-pool',
    ],
    [
      'is not offered when its rent ends',
      {
        scheduled: true,
        wipe: { order: order.orderedAt, askedAt: at(20), startedAt: at(19), completedAt: at(1) },
      },
      'Terminating Deleted none',
    ],
  ] as const)('%s', ([, facts, expected]) => expect(reported(host(released, facts))).toBe(expected));

  it.for([
    ['ready', 'Terminating Deleting terminate'],
    ['reinstalling', 'Terminating Deleting terminate'],
    ['gone', 'Terminating Deleted delete-record'],
  ] as const)('for good, and seen %s: %s', ([seen, expected]) =>
    expect(reported(host({ ...released, release: { ...order, policy: 'terminate' } }, { seen }))).toBe(
      expected,
    ),
  );
});
