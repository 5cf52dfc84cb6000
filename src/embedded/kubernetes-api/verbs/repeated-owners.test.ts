import { expect, it } from 'vitest';
import { growth } from '../../../../lab/harness/growth.ts';
import type { KubeObject } from '../kube-object.ts';
import { withoutRepeatedOwners } from './repeated-owners.ts';

function owner(index: number) {
  return { apiVersion: 'v1', kind: 'Pod', name: `p-${index}`, uid: `u-${index}` };
}

function objectOf(ownerReferences: readonly ReturnType<typeof owner>[]): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', ownerReferences } };
}

it('keeps the first of duplicate owners, and warns once', () => {
  const reported: string[] = [];
  const owners = [owner(1), owner(2), owner(1), owner(1)];
  const kept = withoutRepeatedOwners({ warn: (text) => void reported.push(text) }, objectOf(owners));
  expect(kept.metadata['ownerReferences']).toEqual([owner(1), owner(2)]);
  expect(reported).toHaveLength(1);
});

it('has linear cost', () => {
  const ratio = growth([1500, 12_000], (size) => {
    const object = objectOf(Array.from({ length: size }, (_, index) => owner(index)));
    return () => withoutRepeatedOwners({ warn: () => undefined }, object);
  });
  expect(ratio).toBeLessThan(32);
});
