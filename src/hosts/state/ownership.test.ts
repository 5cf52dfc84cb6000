import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { finalizers as ours } from '../../api/names/finalizers.ts';
import { MachineUid } from '../../api/names/ids.ts';
import { providerIdOf } from '../../api/names/provider-id.ts';
import type { HostRecord, HostSpec, ReleaseOrder } from './host-record.ts';
import type { MachineObject } from './objects.ts';
import { isLaterNamesake, objectorsTo, overrulingOf, ownershipOf, type SpeaksBy } from './ownership.ts';

const owner = { namespace: 'ci', name: 'mac-a', uid: 'u1' };
const ourFinalizer = ours.machine.key;
const createdAt = '2026-01-01T10:00:00Z';
const deletionTimestamp = '2026-01-01T11:00:00Z';

interface Words {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly serverID?: string;
  readonly providerID?: string;
  readonly annotation?: string;
  readonly isDeleting?: boolean;
  readonly isPaused?: boolean;
  readonly finalizers?: readonly string[];
  readonly createdAt?: string;
}

/** A machine named like no server, which names no host unless the test sets one. */
function machine(words: Words = {}): MachineObject {
  const { namespace = 'ci', name = 'mac-z', uid = 'u1', serverID, providerID } = words;
  return {
    metadata: { namespace, name, uid, resourceVersion: '1', ...marksOf(words) },
    ...(providerID !== undefined && {
      spec: { type: 'M2-L', zone: 'fr-par-1', os: 'tahoe', providerID: providerIdOf('fr-par-1', providerID) },
    }),
    ...(serverID !== undefined && { status: { serverID } }),
  };
}

function marksOf(words: Words) {
  const {
    annotation,
    isPaused,
    isDeleting,
    createdAt: creationTimestamp = createdAt,
    finalizers = [],
  } = words;
  const marks = {
    ...(annotation !== undefined && { [annotations.host.key]: annotation }),
    ...(isPaused === true && { [annotations.paused.key]: '' }),
  };
  const deletion = { ...(isDeleting === true && { deletionTimestamp }) };
  return { annotations: marks, creationTimestamp, finalizers: [...finalizers], ...deletion };
}

function host(name: string, spec: object = {}): HostRecord {
  return { id: 'h', spec: structuredClone(spec), status: { observed: { name, status: 'ready' } } };
}

const wordsOf = (record: HostRecord, machines: readonly MachineObject[]): readonly (readonly SpeaksBy[])[] =>
  ownershipOf(record, machines).speakers.map(({ by }) => by);

describe('a live machine speaks for a host', () => {
  it.each<[SpeaksBy, HostRecord, MachineObject]>([
    ['claim', host('pool-1', { claim: owner }), machine()],
    ['name', host('mac-a'), machine({ name: 'mac-a' })],
    ['serverID', host('other'), machine({ serverID: 'h' })],
    ['providerID', host('other'), machine({ providerID: 'h' })],
    ['annotation', host('other'), machine({ annotation: 'h' })],
  ])('[S21] by its %s alone', (way, record, speaker) => {
    expect(wordsOf(record, [speaker])).toEqual([[way]]);
  });

  it.each([{ isPaused: true }, { isDeleting: true }])('[S21] also as %o', (state) => {
    expect(wordsOf(host('other'), [machine({ serverID: 'h', ...state })])).toEqual([['serverID']]);
  });

  it('in several ways at once', () => {
    const speaker = machine({ name: 'mac-a', serverID: 'h', providerID: 'h', annotation: 'h' });
    expect(wordsOf(host('mac-a', { claim: owner }), [speaker])).toEqual([
      ['claim', 'name', 'serverID', 'providerID', 'annotation'],
    ]);
  });

  it('but not when it names another host', () => {
    const speaker = machine({ serverID: 'h2', providerID: 'h2', annotation: 'h2' });
    expect(wordsOf(host('mac-a'), [speaker])).toEqual([]);
  });

  it('but not by the name of a server that is gone', () => {
    const gone = { ...host('mac-a'), status: { observed: { name: 'mac-a', status: 'gone' } } };
    expect(wordsOf(gone, [machine({ name: 'mac-a' })])).toEqual([]);
  });
});

describe('a deleting machine kept by a finalizer of others', () => {
  const given = { serverID: 'h', annotation: 'h', isDeleting: true, finalizers: ['example.com/other'] };
  const after = (name: string, spec: object, installEpoch = 1): HostRecord => {
    const record = host(name, spec);
    return { ...record, status: { ...record.status, installEpoch } };
  };
  const later = { ...owner, uid: 'u2' };

  it.each<[string, HostRecord]>([
    ['the host was wiped and offered again', after('pool-1', {})],
    ['the host has a later owner', after('mac-b', { claim: later, lastOwner: later, used: true })],
  ])('does not speak once %s', (_, record) => {
    expect(wordsOf(record, [machine(given)])).toEqual([]);
  });

  it.each<[string, HostRecord, MachineObject]>([
    ['our finalizer is on it', after('pool-1', {}), machine({ ...given, finalizers: [ourFinalizer] })],
    ['it stays', after('pool-1', {}), machine({ ...given, isDeleting: false })],
    ['the host was not wiped', after('pool-1', {}, 0), machine(given)],
    ['the host was used since', after('pool-1', { used: true }), machine(given)],
    ['its order stands', after('pool-1', { used: true, lastOwner: owner }), machine(given)],
    ['its claim is on the host', after('pool-1', { claim: owner, used: true }), machine(given)],
    ['the server has its name', after('mac-z', {}), machine(given)],
  ])('[S21] speaks while %s', (_, record, speaker) => {
    expect(wordsOf(record, [speaker])).toHaveLength(1);
  });
});

describe('a namesake in another namespace', () => {
  const namesake = machine({ namespace: 'team-b', name: 'mac-a', uid: 'u2' });

  it.each(['claim', 'lastOwner'])('is silent beside a recorded %s', (record) => {
    expect(wordsOf(host('mac-a', { [record]: owner }), [namesake])).toEqual([]);
  });

  it('is silent beside a bound machine', () => {
    const served = machine({ name: 'mac-a', serverID: 'h' });
    expect(wordsOf(host('mac-a'), [namesake, served])).toEqual([['name', 'serverID']]);
  });

  it('speaks as soon as it names the host itself', () => {
    const naming = machine({ namespace: 'team-b', name: 'mac-a', uid: 'u2', annotation: 'h' });
    expect(wordsOf(host('mac-a', { claim: owner }), [naming])).toEqual([['name', 'annotation']]);
  });
});

describe('the claimant', () => {
  it.each<[string, object, readonly MachineObject[]]>([
    ['none', {}, [machine({ serverID: 'h' })]],
    ['missing', { claim: owner }, [machine({ uid: 'u2' })]],
    ['deleting', { claim: owner }, [machine({ isDeleting: true })]],
    ['live', { claim: owner }, [machine({ isPaused: true })]],
  ])('is %s', (claimant, spec, machines) => {
    expect(ownershipOf(host('pool-1', spec), machines).claimant).toBe(claimant);
  });
});

describe('an order', () => {
  const order: ReleaseOrder = {
    policy: 'pool',
    poolPrefix: 'pool-',
    orderedBy: 'machine',
    machineUid: MachineUid.parse('u1'),
    orderedAt: '2026-01-01T11:00:00Z',
  };
  const record = host('mac-a', { lastOwner: owner, release: order });
  const objectors = (given: ReleaseOrder, spec: HostSpec, machines: readonly MachineObject[]) => {
    const at: HostRecord = { ...record, spec };
    return objectorsTo(given, at, ownershipOf(at, machines)).map(({ uid }) => uid);
  };

  it('overrules the machine that gave it, once that machine is being deleted', () => {
    const own = { name: 'mac-a', serverID: 'h' };
    expect(objectors(order, record.spec, [machine({ ...own, isDeleting: true })])).toEqual([]);
    expect(objectors(order, record.spec, [machine(own)])).toEqual(['u1']);
  });

  it('[S21] does not overrule another machine that has the host', () => {
    expect(objectors(order, record.spec, [machine({ uid: 'u2', serverID: 'h' })])).toEqual(['u2']);
  });

  it('overrules a later machine of the name that never had a host', () => {
    const later = machine({ name: 'mac-a', uid: 'u2', createdAt: '2026-01-01T11:05:00Z' });
    expect(objectors(order, record.spec, [later])).toEqual([]);
  });

  it('[S21] does not overrule an earlier machine of the name without a record', () => {
    const { lastOwner: _, ...unrecorded } = record.spec;
    expect(objectors(order, unrecorded, [machine({ name: 'mac-a', uid: 'u2' })])).toEqual(['u2']);
  });

  it('[S21] of the sweep overrules no machine, however late it was created', () => {
    const { machineUid: _, ...bySweep } = { ...order, orderedBy: 'sweep' };
    const later = machine({ name: 'mac-a', uid: 'u2', createdAt: '2026-01-01T12:00:00Z' });
    expect(objectors(bySweep, record.spec, [later])).toEqual(['u2']);
  });

  it('[S21] forced by an operator overrules only the ways to speak that it lists', () => {
    const { machineUid: _, ...unsigned } = order;
    const speaker = machine({ uid: 'u2', serverID: 'h' });
    const forced = {
      ...unsigned,
      orderedBy: 'person',
      overrules: overrulingOf(ownershipOf(record, [speaker]).speakers).map(({ uid, by }) => ({
        uid: MachineUid.parse(uid),
        by,
      })),
    };
    expect(objectors(forced, record.spec, [speaker])).toEqual([]);
    const more = machine({ uid: 'u2', serverID: 'h', providerID: 'h' });
    expect(objectors(forced, record.spec, [more])).toEqual(['u2']);
    expect(objectors(forced, record.spec, [speaker, machine({ uid: 'u3', annotation: 'h' })])).toEqual([
      'u3',
    ]);
  });

  it('finds the successor of its owner by namespace and name, whatever the timestamps', () => {
    const early = machine({ name: 'mac-a', uid: 'u2', createdAt: '2026-01-01T09:00:00Z' });
    const [speaker] = ownershipOf(record, [early]).speakers;
    expect(speaker && isLaterNamesake(speaker, order, record.spec)).toBe(true);
  });
});

describe('the name of the server', () => {
  it('counts as the name of a machine also where that machine may not speak', () => {
    const namesake = machine({ namespace: 'team-b', name: 'mac-a', uid: 'u2' });
    const { isMachineName, speakers } = ownershipOf(host('mac-a', { claim: owner }), [namesake]);
    expect({ isMachineName, speakers }).toEqual({ isMachineName: true, speakers: [] });
  });

  it('shows that an adoption is under way', () => {
    expect(ownershipOf(host('tuist-claim-pending-1'), []).midAdoption).toBe(true);
    expect(ownershipOf(host('pool-1'), []).midAdoption).toBe(false);
  });
});

it('ownership includes the hold', () => {
  const hold = { reason: 'mine', since: '2026-01-01T11:00:00Z' };
  expect(ownershipOf(host('pool-1', { hold }), []).heldBy).toEqual(hold);
});
