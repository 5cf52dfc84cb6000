import { expect, it } from 'vitest';
import type { MachineObject } from '../../state/objects.ts';
import { namesakeOf } from './host-requirements.ts';

function machine(namespace: string, creationTimestamp: string, serverID = ''): MachineObject {
  const metadata = { name: 'runners-1', namespace, uid: `uid-${namespace}`, resourceVersion: '1' };
  return { metadata: { ...metadata, creationTimestamp }, status: { serverID } };
}

const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];

it.for([
  ['an older one', machine('b', late), machine('a', early), 'a/runners-1'],
  ['a younger one', machine('b', early), machine('a', late), undefined],
  ['one of the same age, by its namespace', machine('b', early), machine('a', early), 'a/runners-1'],
  ['a younger one that has a host', machine('b', early), machine('a', late, 'h1'), 'a/runners-1'],
  ['itself', machine('b', late), machine('b', late), undefined],
] as const)('which of two machines of one name takes precedence: %s', ([, own, other, expected]) => {
  expect(namesakeOf(own, [own, other])).toBe(expected);
});
