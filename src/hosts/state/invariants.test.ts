import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { macHost } from '../../api/kinds/mac-host.ts';
import { fleetViewOf } from './host-view.ts';
import type { HostRecord } from './host-record.ts';
import { nextTransition } from './host-state-machine.ts';
import { checkedInvariants, findingsIn, type AuditedMachine } from './invariants.ts';

const [one, two] = ['11111111', '22222222'].map((start) => `${start}-0000-4000-8000-000000000000`);
const at = (hour: number): number => Date.UTC(2026, 10, 3, hour);
/** A time at which nothing in these fleets has lasted long. */
const early = at(1);

function host(id: string | undefined, spec: object, status: object = {}): HostRecord {
  const metadata = { name: id };
  const parsed = macHost.schema.parse({
    apiVersion: 'muster.dev/v1alpha1',
    kind: 'MacHost',
    metadata,
    spec,
    status,
  });
  return { id: id ?? '', spec: parsed.spec, status: parsed.status ?? {} };
}

const claimOf = (name: string) => ({ claim: { namespace: 'ci', name, uid: `uid-${name}` } });
const orderedAt = '2026-11-03T10:00:00Z';
const order = {
  release: { policy: 'pool', poolPrefix: 'p-', orderedBy: 'machine', machineUid: 'uid-a', orderedAt },
};

type Fields = Partial<Omit<AuditedMachine, 'object'>>;

/** `annotations` belong to the object alone. */
function machine(name: string, more: Fields = {}, annotations: Record<string, string> = {}): AuditedMachine {
  const fields = { namespace: 'ci', name, uid: `uid-${name}`, zone: 'fr-par-1', hasFinalizer: true, ...more };
  const { namespace, uid, zone, serverId, providerId, deletingSince } = fields;
  const metadata = {
    namespace,
    name,
    uid,
    resourceVersion: '1',
    creationTimestamp: '2026-11-03T08:00:00Z',
    annotations,
    ...(deletingSince !== undefined && { deletionTimestamp: new Date(deletingSince).toISOString() }),
  };
  const spec = { zone, type: 'M2-L', os: 'Tahoe', providerID: providerId };
  return { ...fields, object: { metadata, spec, status: { serverID: serverId } } };
}

const bound = (name: string, id: string | undefined, more: Fields = {}): AuditedMachine =>
  machine(name, { serverId: id, providerId: `scw-applesilicon://fr-par-1/${id}`, ...more });

const found = (hosts: readonly HostRecord[], machines: readonly AuditedMachine[]) =>
  findingsIn({ hosts, machines, now: early }).map(({ id, subject }) => `${id} ${subject}`);

describe('no finding for', () => {
  it.for([
    ['nothing at all', [], []],
    ['a free host', [host(one, {})], []],
    ['a machine on its host', [host(one, claimOf('a'))], [bound('a', one)]],
    ['a machine that waits', [], [machine('a')]],
    ['a host that is released after its machine', [host(one, { ...claimOf('a'), ...order })], []],
    [
      'a deleting machine with the order on its host',
      [host(one, { ...claimOf('a'), ...order })],
      [bound('a', one, { deletingSince: at(9) })],
    ],
    [
      'a held host whose machine is gone',
      [host(one, { ...claimOf('a'), hold: { reason: 'x', since: '2026-11-03T10:00:00Z' } })],
      [],
    ],
    [
      'a paused machine that was adopting before',
      [host(one, claimOf('a'), { state: 'Adopting', since: '2026-11-03T08:00:00Z' })],
      [machine('a', { pausedSince: at(9) })],
    ],
    [
      'a claim that was not promoted yet',
      [host(one, claimOf('a'), { state: 'Adopting', since: '2026-11-03T08:00:00Z' })],
      [machine('a')],
    ],
    [
      'a host that passed from a deleting machine to a live one',
      [host(one, claimOf('b'))],
      [bound('a', one, { deletingSince: at(9) }), bound('b', one)],
    ],
    [
      'a host that broke after its machine was paused',
      [host(one, claimOf('a'), { state: 'Broken', since: '2026-11-03T10:00:00Z' })],
      [machine('a', { pausedSince: at(9) })],
    ],
    [
      'a deleting machine without our finalizer, with the order on its host',
      [host(one, { ...claimOf('a'), ...order })],
      [bound('a', one, { deletingSince: at(9), hasFinalizer: false })],
    ],
  ] as const)('%s', ([, hosts, machines]) => {
    expect(findingsIn({ hosts, machines, now: early })).toEqual([]);
  });
});

/** The order of an earlier machine of the name. */
const leavesBehind = { release: { ...order.release, machineUid: 'older' } };

describe('a finding', () => {
  it.for([
    [
      'that still has our finalizer after five minutes',
      { deletingSince: at(12) - 301_000 },
      ['L3 machine/ci/a'],
    ],
    ['for five minutes', { deletingSince: at(12) - 300_000 }, []],
    ['that only others hold', { deletingSince: at(9), hasFinalizer: false }, []],
  ] as const)('L3: a machine is being deleted %s', ([, more, expected]) => {
    const findings = findingsIn({ hosts: [], machines: [machine('a', more)], now: at(12) });
    expect(findings.map(({ id, subject }) => `${id} ${subject}`)).toEqual(expected);
  });

  it('S1: two machines name one host', () => {
    const [first, second] = findingsIn({
      hosts: [host(one, claimOf('a'))],
      machines: [bound('b', one), bound('a', one)],
      now: early,
    });
    expect(first).toEqual({
      id: 'S1',
      subject: `host/${one}`,
      detail: '2 machines name the host in status.serverID: ci/a, ci/b',
    });
    expect(second?.detail).toBe(
      'machine ci/b names the host in status.serverID, but ci/a with uid uid-a holds its claim',
    );
  });

  it('S1: a machine names a host without a claim', () => {
    const findings = findingsIn({ hosts: [host(one, {})], machines: [bound('a', one)], now: early });
    expect(findings.map(({ detail }) => detail)).toEqual([
      'machine ci/a names the host in status.serverID, but no machine holds its claim',
    ]);
  });

  it('S1: the host of a live machine has no MacHost', () => {
    expect(found([], [bound('a', one)])).toEqual(['S1 machine/ci/a']);
    expect(found([], [bound('a', one, { deletingSince: at(9) })])).toEqual([]);
  });

  it('S2: one machine on two hosts', () => {
    expect(found([host(one, claimOf('a')), host(two, claimOf('a'))], [bound('a', one)])).toEqual([
      'S2 machine/ci/a',
    ]);
  });

  it('S2: one name with two uids on two hosts', () => {
    const older = { claim: { namespace: 'ci', name: 'a', uid: 'older' } };
    for (const status of [{}, { observed: { name: 'a' } }]) {
      const hosts = [host(one, claimOf('a')), host(two, { ...older, ...leavesBehind }, status)];
      expect(found(hosts, [bound('a', one)])).toContain('S2 machine/ci/a');
    }
  });

  it('S2: a host being released no longer counts once its server has another name', () => {
    const older = { claim: { namespace: 'ci', name: 'a', uid: 'older' } };
    const left = { observed: { name: 'pool-2' } };
    const hosts = (more: object) => [host(one, claimOf('a')), host(two, { ...older, ...more }, left)];
    expect(found(hosts(leavesBehind), [bound('a', one)])).toEqual([]);
    expect(found(hosts({}), [bound('a', one)])).toEqual(['S2 machine/ci/a', `L2 host/${two}`]);
  });

  it.for([
    [{ pausedSince: at(7) }, 'was paused'],
    [{ deletingSince: at(7) }, 'was being deleted'],
    [{ pausedSince: at(7), deletingSince: at(6) }, 'was being deleted'],
  ] as const)('S6: a host is taken for a machine with %j', ([more, what]) => {
    const adopting = host(one, claimOf('a'), { state: 'Adopting', since: '2026-11-03T08:00:00Z' });
    expect(findingsIn({ hosts: [adopting], machines: [machine('a', more)], now: early })).toEqual([
      {
        id: 'S6',
        subject: `host/${one}`,
        detail: `claimed for ci/a at 2026-11-03T08:00:00Z, when that machine ${what} already`,
      },
    ]);
  });

  it('S7: a machine with a host and without our finalizer', () => {
    expect(found([host(one, claimOf('a'))], [bound('a', one, { hasFinalizer: false })])).toEqual([
      'S7 machine/ci/a',
    ]);
  });

  it('S7: a machine is deleting, and its host carries neither its claim nor an order', () => {
    expect(found([host(one, {})], [bound('a', one, { deletingSince: at(9) })])).toEqual(['S7 machine/ci/a']);
    expect(found([host(one, order)], [bound('a', one, { deletingSince: at(9) })])).toEqual([]);
  });

  it.for([
    ['nonsense', 'is not a provider id'],
    [`scw-applesilicon://fr-par-1/${two}`, `names ${two}, status.serverID ${one}`],
    [`scw-applesilicon://fr-par-3/${one}`, 'names zone fr-par-3, spec.zone fr-par-1'],
  ] as const)('S17: the provider id %s', ([providerId, why]) => {
    const [only, ...more] = findingsIn({
      hosts: [host(one, claimOf('a'))],
      machines: [bound('a', one, { providerId })],
      now: early,
    });
    expect([only?.id, only?.detail, more]).toEqual(['S17', expect.stringContaining(why), []]);
  });

  it('S17: a provider id without a server', () => {
    expect(found([], [bound('a', one, { serverId: '' })])).toEqual(['S17 machine/ci/a']);
    expect(found([], [bound('a', one, { serverId: '', deletingSince: at(9) })])).toEqual([]);
  });

  it('L2: a claim of a machine that does not exist', () => {
    expect(found([host(one, claimOf('a'))], [])).toEqual([`L2 host/${one}`]);
    expect(found([host(one, claimOf('a'))], [machine('a', { uid: 'a later one' })])).toEqual([
      `L2 host/${one}`,
    ]);
  });
});

describe('S21: an order and the machines that speak for the host', () => {
  const swept = { policy: 'pool', poolPrefix: 'p-', orderedBy: 'sweep', orderedAt, serverName: 'a' };
  const forced = (by: readonly string[]) => ({
    ...swept,
    orderedBy: 'person: ticket 7',
    overrules: [{ uid: 'uid-a', by }],
  });
  const hold = { reason: 'x', since: orderedAt };
  const s21 = (spec: object, machines: readonly AuditedMachine[], name = 'pool-1'): readonly string[] =>
    findingsIn({ hosts: [host(one, spec, { observed: { name } })], machines, now: early })
      .filter(({ id }) => id === 'S21')
      .map(({ subject, detail }) => `${subject}: ${detail}`);

  it.for([
    ['claim', machine('a'), claimOf('a')],
    ['serverID', machine('a', { serverId: one }), {}],
    ['providerID', machine('a', { providerId: `scw-applesilicon://fr-par-1/${one}` }), {}],
    ['annotation', machine('a', {}, { 'muster.dev/host': one ?? '' }), {}],
  ] as const)('a live machine speaks by %s', ([by, speaker, more]) => {
    expect(s21({ ...more, used: true, release: swept }, [speaker])).toEqual([
      `host/${one}: sweep ordered pool, although machine ci/a speaks for the host by ${by}`,
    ]);
    expect(s21({ ...more, used: true }, [speaker])).toEqual([]);
    expect(s21({ ...more, used: true, release: swept, hold }, [speaker])).toEqual([]);
    expect(s21({ ...more, used: true, release: forced([by]) }, [speaker])).toEqual([]);
    expect(s21({ ...more, used: true, release: forced([]) }, [speaker])).toHaveLength(1);
  });

  it('a live machine has the name of the server', () => {
    expect(s21({ used: true, release: swept }, [machine('a')], 'a')).toEqual([
      `host/${one}: sweep ordered pool, although machine ci/a speaks for the host by name`,
    ]);
    expect(s21({ used: true, release: swept }, [machine('b')], 'a')).toEqual([]);
  });

  it('the order of a machine counts only while that machine is being deleted', () => {
    const spec = { ...claimOf('a'), used: true, ...order };
    expect(s21(spec, [bound('a', one, { deletingSince: at(9) })])).toEqual([]);
    expect(s21(spec, [bound('a', one)])).toHaveLength(1);
    expect(s21(spec, [bound('a', one, { deletingSince: at(9) }), bound('b', one)])).toEqual([
      `host/${one}: machine ordered pool, although machine ci/b speaks for the host by serverID, providerID`,
    ]);
  });

  it('a machine that was created after the order and speaks by its name alone does not count', () => {
    const spec = { ...claimOf('a'), used: true, ...order };
    const later = machine('a', { uid: 'later' });
    expect(s21(spec, [later], 'a')).toEqual([]);
    expect(s21({ ...spec, release: { ...order.release, machineUid: undefined } }, [later], 'a')).toHaveLength(
      1,
    );
  });

  it('the sweep ordered a host whose server carries a pending name', () => {
    const pending = 'tuist-claim-pending-1';
    expect(s21({ release: swept }, [], pending)).toEqual([
      `host/${one}: sweep ordered pool, although the server carries a pending name of an adoption`,
    ]);
    expect(s21({ release: { ...swept, orderedBy: 'person' } }, [], pending)).toEqual([]);
    expect(s21({ release: swept, hold }, [], pending)).toEqual([]);
  });

  it('the table takes no step on a held host, whatever the order', () => {
    const names = ['a', 'pool-1', 'tuist-claim-pending-1', 'mine'];
    const states = ['ready', 'reinstalling', 'interrupted', 'error', 'rebooting', 'gone'];
    const steps = names.flatMap((name) =>
      states.flatMap((status) =>
        [swept, order.release, { ...swept, policy: 'terminate' }].flatMap((release) => {
          const held = host(
            one,
            { ...claimOf('a'), used: true, release, hold },
            {
              observed: { name, status, delivered: true },
              wipe: { order: 'x', askedAt: orderedAt, startedAt: orderedAt },
            },
          );
          const objects = [bound('a', one).object];
          const view = fleetViewOf(
            { hosts: [held], machines: objects },
            { poolPrefixes: ['pool-'], claimPrefix: '' },
          );
          return nextTransition(held, view, at(11)).step;
        }),
      ),
    );
    const harmless: ReadonlySet<string> = new Set(['none', 'record-wipe-start', 'record-wipe-completion']);
    expect(steps.filter((step) => !harmless.has(step))).toEqual([]);
  });
});

it('L2: a claim of a missing machine is no finding while another machine speaks for the host', () => {
  const named = host(one, claimOf('a'), { observed: { name: 'a' } });
  expect(found([named], [machine('a', { uid: 'a later one' })])).toEqual([]);
  expect(found([named], [machine('b')])).toEqual([`L2 host/${one}`]);
});

it('the order in which objects are listed does not matter, and every finding has an id that is checked', () => {
  const names = fc.constantFrom('a', 'b', 'c');
  const ids = fc.constantFrom(one, two);
  const hosts = fc.uniqueArray(
    fc.record({ id: ids, spec: fc.oneof(fc.constant({}), names.map(claimOf), fc.constant(order)) }),
    { selector: ({ id }) => id },
  );
  const machines = fc.uniqueArray(
    fc.record({ name: names, id: fc.option(ids), goes: fc.boolean(), hasFinalizer: fc.boolean() }),
    { selector: ({ name }) => name },
  );
  fc.assert(
    fc.property(hosts, machines, (drawnHosts, drawnMachines) => {
      const some = drawnHosts.map(({ id, spec }) => host(id, spec));
      const others = drawnMachines.map(({ name, id, goes, hasFinalizer }) =>
        machine(name, { serverId: id ?? undefined, hasFinalizer, deletingSince: goes ? at(9) : undefined }),
      );
      const findings = findingsIn({ hosts: some, machines: others, now: early });
      expect(findingsIn({ hosts: some.toReversed(), machines: others.toReversed(), now: early })).toEqual(
        findings,
      );
      expect(findings.every(({ id }) => checkedInvariants.includes(id))).toBe(true);
    }),
  );
});

it('a thousand hosts and machines are not compared pairwise', () => {
  let looks = 0;
  const names = Array.from({ length: 1000 }, (_, number) => `h${number}`);
  const hosts = names.map((id): HostRecord => ({
    get id() {
      looks += 1;
      return id;
    },
    spec: {},
    status: {},
  }));
  findingsIn({
    hosts,
    machines: names.map((id) => bound(`m-${id}`, id, { hasFinalizer: false })),
    now: early,
  });
  expect(looks).toBeLessThan(100 * names.length);
});
