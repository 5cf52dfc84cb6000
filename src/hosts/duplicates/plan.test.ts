import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { ClaimName, MachineUid } from '../../api/names/ids.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import { findDuplicates, identityOf, plan, type Observed } from './plan.ts';

interface HostFields {
  readonly claim?: string;
  readonly name?: string;
  readonly state?: 'Owned' | 'Adopting' | 'Stranded';
  readonly spec?: MacHostObject['spec'];
}

/** Owned by the machine named in `claim`, unless the test says otherwise. */
function host(id: string, { claim, name, state = 'Owned', spec }: HostFields = {}): MacHostObject {
  const held =
    claim === undefined
      ? {}
      : { claim: { namespace: 'ci', name: ClaimName.parse(claim), uid: MachineUid.parse(`uid-${claim}`) } };
  return {
    metadata: { name: id, uid: `uid-${id}`, resourceVersion: '1' },
    spec: { ...held, ...spec },
    status: { state, observed: { name: name ?? claim ?? `pool-${id}` } },
  };
}

function machine(
  name: string,
  serverID?: string,
  metadata: Partial<MachineObject['metadata']> = {},
): MachineObject {
  return {
    metadata: { name, namespace: 'ci', uid: `uid-${name}`, resourceVersion: '1', ...metadata },
    ...(serverID !== undefined && { status: { serverID } }),
  };
}

function planned(
  hosts: readonly MacHostObject[],
  machines: readonly MachineObject[],
  more: Partial<Observed> = {},
) {
  const duplicates = findDuplicates({ hosts, machines });
  const since = new Map(duplicates.map((one) => [identityOf(one), 0]));
  const observed = { now: 20_000, hosts, machines, duplicates, since, repairsMax: 5, ...more };
  const { actions, notes } = plan(observed);
  return {
    acts: actions.map((action) => `${action.kind} ${action.machine.metadata.name} ${action.hostId}`),
    notes: notes.map(({ subject, reason }) => `${reason} ${subject}`),
  };
}

const nothing = { acts: [], notes: [] };
const meaning = (id: string) => ({ annotations: { [annotations.host.key]: id } });
const hold = { reason: 'look', since: '2026-01-01T00:00:00Z' };
const release = { policy: 'pool', orderedBy: 'cli', orderedAt: '2026-01-01T00:00:00Z' } as const;
const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const paused = { annotations: { [annotations.paused.key]: '' } };

describe('a host with several machines', () => {
  it('is cleared on every machine but its owner by claim, binding and name', () =>
    expect(
      planned([host('h', { claim: 'a' })], [machine('a', 'h'), machine('b', 'h'), machine('c', 'h')]),
    ).toEqual({
      acts: ['unbind b h', 'unbind c h'],
      notes: ['SharedHost h'],
    }));

  it.for([
    ['no machine holds its claim', host('h', { name: 'a' }), [machine('a', 'h'), machine('b', 'h')]],
    ['the claimant is not bound to it', host('h', { claim: 'a' }), [machine('a'), machine('b', 'h')]],
    [
      'the server is not named like the claimant',
      host('h', { claim: 'a', name: 'b' }),
      [machine('a', 'h'), machine('b', 'h')],
    ],
    [
      'the host is not in state Owned',
      host('h', { claim: 'a', state: 'Adopting' }),
      [machine('a', 'h'), machine('b', 'h')],
    ],
    [
      'held by an operator',
      host('h', { claim: 'a', spec: { hold } }),
      [machine('a', 'h'), machine('b', 'h')],
    ],
    [
      'the other machine is paused',
      host('h', { claim: 'a' }),
      [machine('a', 'h'), machine('b', 'h', paused)],
    ],
  ] as const)('is only reported when %s', ([, one, machines]) =>
    expect(planned([one], machines)).toEqual({ acts: [], notes: ['SharedHost h'] }),
  );

  it.for([
    ['the other machine is deleting', host('h', { claim: 'a' }), machine('b', 'h', leaving)],
    ['the other machine only waits for it', host('h', { claim: 'a' }), machine('b', undefined, meaning('h'))],
    ['it is being released', host('h', { claim: 'a', spec: { release } }), machine('b', 'h')],
  ] as const)('is none when %s', ([, one, other]) =>
    expect(planned([one], [machine('a', 'h'), other])).toEqual(nothing),
  );
});

describe('a machine with several hosts', () => {
  const home = host('h', { claim: 'a' });

  it('drops its claim on the host that no machine names', () =>
    expect(planned([home, host('s', { claim: 'a', name: 'pool-s' })], [machine('a', 'h')])).toEqual({
      acts: ['drop-claim a s'],
      notes: ['SpareHost ci/a'],
    }));

  it.for([
    ['it is bound to none of them', machine('a'), host('s', { claim: 'a' })],
    ['it names the spare host', machine('a', 'h', meaning('s')), host('s', { claim: 'a' })],
    ['it is paused', machine('a', 'h', paused), host('s', { claim: 'a' })],
    ['an operator holds the spare host', machine('a', 'h'), host('s', { claim: 'a', spec: { hold } })],
    ['the spare host has only its name', machine('a', 'h'), host('s', { name: 'a', state: 'Stranded' })],
    ['it names a host without a claim', machine('a', 'h', meaning('s')), host('s')],
  ] as const)('is only reported when %s', ([, one, spare]) =>
    expect(planned([home, spare], [one])).toEqual({ acts: [], notes: ['SpareHost ci/a'] }),
  );

  it('keeps both while another machine names the spare host', () => {
    const waiting = machine('b', undefined, meaning('s'));
    const spare = host('s', { claim: 'a' });
    expect(planned([home, spare], [machine('a', 'h'), waiting]).acts).toEqual([]);
  });

  it.for([
    ['the other host is being released', host('s', { claim: 'a', spec: { release } }), []],
    ['the name of the other host fits machines in two namespaces', host('s', { name: 'a' }), ['elsewhere']],
    ['the other host has the same name, but another owner', host('s', { claim: 'b', name: 'a' }), []],
  ] as const)('is none when %s', ([, spare, namespaces]) => {
    const others = namespaces.map((namespace) => machine('a', undefined, { namespace, uid: 'other' }));
    const { acts, notes } = planned([home, spare], [machine('a', 'h'), ...others]);
    expect([acts, notes.filter((note) => !note.startsWith('StandOff'))]).toEqual([[], []]);
  });
});

describe('repairs', () => {
  const hosts = [host('h', { claim: 'a' })];
  const machines = ['a', 'b', 'c', 'd'].map((name) => machine(name, 'h'));

  it('are limited by the cap, and none with a cap of zero', () => {
    expect(planned(hosts, machines, { repairsMax: 2 }).acts).toEqual(['unbind b h', 'unbind c h']);
    expect(planned(hosts, machines, { repairsMax: 0 })).toEqual({ acts: [], notes: ['SharedHost h'] });
  });

  it('wait for the settle time, and so does the report', () => {
    expect(planned(hosts, machines, { now: 19_999 })).toEqual(nothing);
    expect(planned(hosts, machines, { since: new Map() })).toEqual(nothing);
  });
});
