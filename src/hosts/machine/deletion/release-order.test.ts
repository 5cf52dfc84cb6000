/** The patch that a deleted machine writes on its host. */
import { expect, it } from 'vitest';
import type { MacHostObject, MachineObject } from '../../state/objects.ts';
import { releaseOrderOf } from './release-order.ts';

const machine: MachineObject = { metadata: { name: 'runners-1', uid: 'u1', resourceVersion: '1' } };
const host: MacHostObject = { metadata: { name: 'h1', uid: 'uid-h1', resourceVersion: '1' } };
const circumstances = {
  at: '2026-01-01T00:00:00Z',
  host,
  isShared: false,
  isNamedByPerson: false,
  leaving: [],
  release: { kind: 'terminate' },
} as const;

it('signs its order, to distinguish it from orders of others', () => {
  expect(releaseOrderOf(machine, circumstances).release).toMatchObject({ machineUid: 'u1' });
});

it('clears orders of others on a host that keeps running', () => {
  const patch = releaseOrderOf(machine, { ...circumstances, release: { kind: 'skip' } });
  expect(patch).toMatchObject({ claim: null, release: null });
});

it('leaves a host to the person who named its server, with a record of that name', () => {
  const named = { ...host, status: { observed: { name: 'do-not-touch' } } };
  const patch = releaseOrderOf(machine, { ...circumstances, host: named, isNamedByPerson: true });
  expect(patch).toMatchObject({ claim: null, release: null, used: true, personName: 'do-not-touch' });
});

it('overrules machines that are being deleted as well, with the ways in which they speak', () => {
  const other = { namespace: 'ci', name: 'runners-2', uid: 'u2', isDeleting: true, createdAt: 0 };
  const leaving = [{ ...other, by: ['serverID'], isNameOnly: false, isIntentOnly: false }] as const;
  expect(releaseOrderOf(machine, { ...circumstances, leaving }).release).toMatchObject({
    overrules: [{ uid: 'u2', by: ['serverID'] }],
  });
});

it('always records the last owner, so that the server name stays known', () => {
  const owner = { namespace: '', name: 'runners-1', uid: 'u1' };
  for (const over of [
    {},
    { isShared: true },
    { isNamedByPerson: true },
    { release: { kind: 'skip' } },
  ] as const)
    expect(releaseOrderOf(machine, { ...circumstances, ...over }).lastOwner).toEqual(owner);
});
