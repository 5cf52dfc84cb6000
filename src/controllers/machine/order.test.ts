/** What a machine that leaves writes on its host. */
import { expect, it } from 'vitest';
import type { MachineObject } from '../../fleet/objects.ts';
import { orderOf } from './order.ts';

const machine: MachineObject = { metadata: { name: 'runners-1', uid: 'u1', resourceVersion: '1' } };
const at = '2026-01-01T00:00:00Z';

it('signs its order, so that it can be told from those of others', () => {
  const release = { kind: 'terminate' } as const;
  expect(orderOf(machine, { at, isShared: false, release }).release).toMatchObject({ machineUid: 'u1' });
});

it('leaves no order of others on a host that is to go on running', () => {
  const patch = orderOf(machine, { at, isShared: false, release: { kind: 'skip' } });
  expect(patch).toMatchObject({ claim: null, release: null });
});
