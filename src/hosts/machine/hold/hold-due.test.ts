import { expect, it } from 'vitest';
import { ClaimName, MachineUid } from '../../../api/names/ids.ts';
import type { MacHostObject, MachineObject } from '../../state/objects.ts';
import { isHoldDue } from './operator-hold.ts';

const uid = MachineUid.parse('u1');
const claim = { namespace: 'ci', name: ClaimName.parse('runners-1'), uid };
const hold = { reason: 'status.serverID was cleared', since: '2026-01-01T00:00:00Z', machineUid: uid };
const leaving: MachineObject = {
  metadata: {
    namespace: 'ci',
    name: 'runners-1',
    uid: 'u1',
    resourceVersion: '1',
    deletionTimestamp: '2026-01-01T01:00:00Z',
  },
};

function held(over: MacHostObject['spec'] = {}): MacHostObject {
  return { metadata: { name: 'h', uid: 'uid-h', resourceVersion: '1' }, spec: { claim, hold, ...over } };
}

it('ends the claim on a held host with its machine', () => expect(isHoldDue(held(), leaving)).toBe(true));

it('does not delay a machine that was unpaused and deleted at once: its order waits for the end of the hold', () => {
  const release = {
    policy: 'pool' as const,
    poolPrefix: 'pool-',
    orderedBy: 'machine',
    machineUid: uid,
    orderedAt: '2026-01-01T01:00:00Z',
  };
  expect(isHoldDue(held({ release }), leaving)).toBe(false);
});
