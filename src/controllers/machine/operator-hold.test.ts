import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/annotations.ts';
import { ClaimName, MachineUid, Zone } from '../../api/ids.ts';
import type { MacHostObject, MachineObject } from '../../fleet/objects.ts';
import { needsHold } from './operator-hold.ts';

const pause = { [annotations.paused.key]: '' };
const own = { namespace: 'ci', name: ClaimName.parse('runners-1'), uid: MachineUid.parse('u1') };
const other = { namespace: 'ci', name: ClaimName.parse('runners-2'), uid: MachineUid.parse('u2') };
const order = {
  policy: 'pool' as const,
  poolPrefix: 'pool-',
  orderedBy: 'sweep',
  orderedAt: '2026-01-01T00:00:00Z',
};

function machine(
  given: Readonly<Record<string, string>> = pause,
  status: MachineObject['status'] = {},
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
  name: string,
  status: MacHostObject['status'] = {},
): MacHostObject {
  const observed = { name, zone: Zone.parse('fr-par-1') };
  return {
    metadata: { name: 'h', uid: 'uid-h', resourceVersion: '1' },
    spec,
    status: { ...status, observed },
  };
}

describe('a machine whose server id was cleared while the machine is paused', () => {
  it.for([
    ['the server has its name', host({ used: true }, 'runners-1')],
    ['the MacHost says that the host served it', host({ used: true }, 'pool-h', { servedUid: 'u1' })],
    ['the claim is its own, and the host was owned', host({ claim: own }, 'pool-h', { state: 'Owned' })],
    ['the sweep has ordered a wipe', host({ used: true, release: order }, 'runners-1')],
  ] as const)('has its host held where %s', ([, given]) => expect(needsHold(given, machine())).toBe(true));

  it.for([
    ['never had it', host({ used: true }, 'pool-h')],
    ['only claimed it', host({ claim: own }, 'pool-h')],
    ['had it before another machine claimed it', host({ claim: other }, 'pool-h', { servedUid: 'u1' })],
  ] as const)('leaves a host as it is that the machine %s', ([, given]) =>
    expect(needsHold(given, machine())).toBe(false),
  );
});

it('has its host held under the claim of another machine that a restored MacHost carries', () => {
  const restored = host({ claim: other, lastOwner: other }, 'runners-1');
  const had = machine({ ...pause, [annotations.host.key]: 'h' });
  expect([needsHold(restored, had), needsHold(restored, machine())]).toEqual([true, false]);
});

it('holds no host of a machine that is not paused, or that still names its server', () => {
  const named = host({ used: true }, 'runners-1');
  expect(needsHold(named, machine({}))).toBe(false);
  expect(needsHold(named, machine(pause, { serverID: 'h' }))).toBe(false);
});
