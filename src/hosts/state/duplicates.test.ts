/** Property tests: no repair takes a host from its sure owner, or a sure owner from its host. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { ClaimName, MachineUid } from '../../api/names/ids.ts';
import { duplicatesIn, isSpare, isWronglyBound, ownerOf } from './duplicates.ts';
import type { HostRecord } from './host-record.ts';
import { hostsOf, type MachineObject } from './objects.ts';

const names = ['a', 'b', 'c'];
const ids = ['h1', 'h2', 'h3'];
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

const anyHost = (id: string): fc.Arbitrary<HostRecord> =>
  fc
    .record({
      claim: maybe(fc.constantFrom(...names)),
      name: fc.constantFrom(...names, 'pool-1'),
      state: fc.constantFrom('Owned', 'Adopting', 'Stranded'),
      isHeld: fc.boolean(),
    })
    .map(({ claim, name, state, isHeld }) => ({
      id,
      spec: {
        ...(claim !== undefined && {
          claim: { namespace: 'ci', name: ClaimName.parse(claim), uid: MachineUid.parse(`uid-${claim}`) },
        }),
        ...(isHeld && { hold: { reason: 'x', since: '2026-01-01T00:00:00Z' } }),
      },
      status: { state, observed: { name } },
    }));

const anyMachine = (name: string): fc.Arbitrary<MachineObject> =>
  fc
    .record({
      serverID: maybe(fc.constantFrom(...ids)),
      means: maybe(fc.constantFrom(...ids)),
      isPaused: fc.boolean(),
    })
    .map(({ serverID, means, isPaused }) => ({
      metadata: {
        name,
        namespace: 'ci',
        uid: `uid-${name}`,
        resourceVersion: '1',
        annotations: {
          ...(means !== undefined && { [annotations.host.key]: means }),
          ...(isPaused && { [annotations.paused.key]: '' }),
        },
      },
      ...(serverID !== undefined && { status: { serverID } }),
    }));

const anyFleet = fc.record({
  hosts: fc.tuple(...ids.map(anyHost)),
  machines: fc.tuple(...names.map(anyMachine)),
});

it('clears a machine of a host only if another machine owns that host and this machine has no claim', () => {
  fc.assert(
    fc.property(anyFleet, ({ hosts, machines }) => {
      for (const host of hosts) {
        const owner = ownerOf(host, machines);
        const cleared = machines.filter((machine) => isWronglyBound(machine, host, owner));
        expect(cleared.filter(({ metadata }) => metadata.uid === host.spec.claim?.uid)).toEqual([]);
        expect(cleared.length > 0 && owner === undefined).toBe(false);
      }
    }),
  );
});

it('drops no claim from a host that a machine names, that is held, or on which its machine runs', () => {
  fc.assert(
    fc.property(anyFleet, ({ hosts, machines }) => {
      for (const machine of machines)
        for (const home of hosts)
          for (const host of hosts.filter((spare) => isSpare(spare, { machine, home, machines }))) {
            expect(machines.flatMap(hostsOf)).not.toContain(host.id);
            expect([host.spec.hold, host.spec.claim?.uid]).toEqual([undefined, machine.metadata.uid]);
            expect([machine.status?.serverID, home.spec.claim?.uid]).toEqual([home.id, machine.metadata.uid]);
          }
    }),
  );
});

it('the findings do not depend on the order of the input', () => {
  const found = (fleet: Parameters<typeof duplicatesIn>[0]) =>
    duplicatesIn(fleet)
      .map((one) => (one.kind === 'SpareHost' ? one.machine.metadata.name : `${one.kind} ${one.host.id}`))
      .toSorted();
  fc.assert(
    fc.property(anyFleet, ({ hosts, machines }) => {
      const reversed = { hosts: hosts.toReversed(), machines: machines.toReversed() };
      expect(found(reversed)).toEqual(found({ hosts, machines }));
    }),
  );
});

it('counts a host and a machine that wait for each other, unless the machine is paused or being deleted', () => {
  const host: HostRecord = {
    id: 'h',
    spec: { used: true },
    status: { observed: { name: 'a', status: 'ready' } },
  };
  const metadata = { namespace: 'ci', name: 'a', uid: 'u', resourceVersion: '1' };
  const paused = { type: 'Paused', status: 'True' as const, lastTransitionTime: '2026-01-01T00:00:00Z' };
  const kindsOf = (machine: MachineObject, given = host): readonly string[] =>
    duplicatesIn({ hosts: [given], machines: [machine] }).map(({ kind }) => kind);
  expect(kindsOf({ metadata })).toEqual(['StandOff']);
  expect(kindsOf({ metadata: { ...metadata, annotations: { [annotations.paused.key]: '' } } })).toEqual([]);
  expect(kindsOf({ metadata, status: { conditions: [paused] } })).toEqual([]);
  expect(kindsOf({ metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })).toEqual([]);
  const gone = { ...host, status: { observed: { name: 'a', status: 'gone' } } };
  expect(kindsOf({ metadata, status: { serverID: 'h' } }, gone)).toEqual([]);
});
