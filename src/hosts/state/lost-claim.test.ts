import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { ClaimName, MachineUid, Zone } from '../../api/names/ids.ts';
import type { MacHostObject, MachineObject } from './objects.ts';
import { mayClaimAgain } from './candidates.ts';

const requirements = { zone: 'fr-par-1', type: 'M2-L', os: 'Tahoe', poolPrefix: 'pool-' };
const own = { namespace: 'ci', name: ClaimName.parse('runners-1'), uid: MachineUid.parse('u1') };
const other = { namespace: 'ci', name: ClaimName.parse('runners-2'), uid: MachineUid.parse('u2') };
const hold = { reason: 'a look', since: '2026-01-01T00:00:00Z' };

function machine(uid: string, status: MachineObject['status'] = {}): MachineObject {
  const marks = { [annotations.host.key]: 'h' };
  return {
    metadata: { namespace: 'ci', name: `of-${uid}`, uid, resourceVersion: '1', annotations: marks },
    status,
  };
}

function host(spec: MacHostObject['spec'], status: MacHostObject['status'] = {}): MacHostObject {
  const os = { family: 'Tahoe' };
  const plain = { zone: Zone.parse('fr-par-1'), type: 'M2-L', os, status: 'ready', delivered: true };
  return {
    metadata: { name: 'h', uid: 'uid-h', resourceVersion: '1' },
    spec: { used: true, ...spec },
    status: { observed: { name: 'pool-h', ...plain }, ...status },
  };
}

const meant = (of: MacHostObject, machines: readonly MachineObject[] = []): boolean =>
  mayClaimAgain(of, machine('u1'), { machines: [machine('u1'), ...machines], requirements });

describe('a host without a claim that a machine names', () => {
  it.for([
    ['its own claim was the last', host({ lastOwner: own })],
    ['the MacHost was created again', host({ firstSeenName: 'pool-h' })],
  ] as const)('is claimed again where %s', ([, given]) => expect(meant(given)).toBe(true));

  it.for([
    ['another machine had it', host({ lastOwner: other })],
    ['it was first seen under another name', host({ firstSeenName: 'another-name' })],
    ['it was wiped since', host({ firstSeenName: 'pool-h' }, { installEpoch: 1 })],
    ['held by an operator', host({ lastOwner: own, hold })],
    ['another machine holds it', host({ claim: other, lastOwner: own })],
    ['a person named it', host({ lastOwner: own, personName: 'pool-h' })],
  ] as const)('is left alone where %s', ([, given]) => expect(meant(given)).toBe(false));

  it('is left alone while another machine is bound to it, but not while another only names it', () => {
    const given = host({ lastOwner: own });
    expect(meant(given, [machine('u2', { serverID: 'h' })])).toBe(false);
    expect(meant(given, [machine('u2')])).toBe(true);
  });

  it('is left alone by a machine that was bound to a host before', () => {
    const had = machine('u1', { ready: true });
    expect(mayClaimAgain(host({ lastOwner: own }), had, { machines: [had], requirements })).toBe(false);
  });
});
