import { describe, expect, it } from 'vitest';
import { annotations } from '../../../api/names/annotations.ts';
import { ClaimName, MachineUid, Zone } from '../../../api/names/ids.ts';
import type { MacHostObject, MachineObject } from '../../state/objects.ts';
import { isUnseenHost, needsHold } from './operator-hold.ts';

const pause = { [annotations.paused.key]: '' };
const own = { namespace: 'ci', name: ClaimName.parse('runners-1'), uid: MachineUid.parse('u1') };
const other = { namespace: 'ci', name: ClaimName.parse('runners-2'), uid: MachineUid.parse('u2') };
const order = {
  policy: 'pool' as const,
  poolPrefix: 'pool-',
  orderedBy: 'sweep',
  orderedAt: '2026-01-01T00:00:00Z',
};

/** The machine after an operator cleared only the server id. */
const cleared: MachineObject['status'] = { ready: true };

function machine(
  given: Readonly<Record<string, string>> = pause,
  status: MachineObject['status'] = cleared,
): MachineObject {
  const named = { namespace: 'ci', name: 'runners-1', uid: 'u1', resourceVersion: '1' };
  return {
    metadata: { ...named, annotations: given },
    spec: { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe' },
    status,
  };
}

function host(
  spec: NonNullable<MacHostObject['spec']>,
  name: string | undefined,
  status: MacHostObject['status'] = {},
): MacHostObject {
  const observed = name === undefined ? {} : { name, zone: Zone.parse('fr-par-1') };
  return {
    metadata: { name: 'h', uid: 'uid-h', resourceVersion: '1' },
    spec,
    status: { observed, ...status },
  };
}

describe('a machine whose server id was cleared while the machine is paused', () => {
  it.for([
    ['the server has its name', host({ used: true }, 'runners-1')],
    ['the MacHost records that it served the machine', host({ used: true }, 'pool-h', { servedUid: 'u1' })],
    ['the claim is its own', host({ claim: own }, 'pool-h')],
    ['the claim is its own, and no inventory has shown the host', host({ claim: own }, undefined)],
    ['the sweep has ordered a wipe', host({ used: true, release: order }, 'runners-1')],
  ] as const)('has its host held where %s', ([, given]) => expect(needsHold(given, machine())).toBe(true));

  it.for([
    ['never had', host({ used: true }, 'pool-h')],
    ['had before another machine claimed it', host({ claim: other }, 'pool-h', { servedUid: 'u1' })],
  ] as const)('does not hold a host that the machine %s', ([, given]) =>
    expect(needsHold(given, machine())).toBe(false),
  );
});

it('holds the host even if a restored MacHost carries the claim of another machine', () => {
  const restored = host({ claim: other, lastOwner: other }, 'runners-1');
  const had = machine({ ...pause, [annotations.host.key]: 'h' });
  expect([needsHold(restored, had), needsHold(restored, machine())]).toEqual([true, false]);
});

it('holds no host of a machine that is not paused, or that still names its server', () => {
  const named = host({ used: true }, 'runners-1');
  expect(needsHold(named, machine({}))).toBe(false);
  expect(needsHold(named, machine(pause, { serverID: 'h' }))).toBe(false);
});

describe('a paused machine that never had a server id', () => {
  it.for([
    ['the server has its name', host({ used: true, lastOwner: own }, 'runners-1')],
    ['the claim is its own', host({ claim: own, used: true }, 'runners-1', { state: 'Owned' })],
    ['its annotation names the host', host({ used: true }, 'pool-h')],
  ] as const)('has no host held, although %s', ([, given]) => {
    const restored = machine({ ...pause, [annotations.host.key]: 'h' }, {});
    expect(needsHold(given, restored)).toBe(false);
  });
});

describe('a host that no inventory has shown', () => {
  const had = machine({ ...pause, [annotations.host.key]: 'h' });

  it.for([
    ['is held by the annotation alone', host({ used: true }, undefined), [true, true]],
    ['is awaited under the claim of another machine', host({ claim: other }, undefined), [false, true]],
    ['is clean, and was only named', host({}, undefined), [false, true]],
    ['is gone', host({ claim: other }, undefined, { observed: { status: 'gone' } }), [false, false]],
  ] as const)('%s', ([, given, expected]) => {
    expect([needsHold(given, had), isUnseenHost(given, had)]).toEqual(expected);
  });
});
