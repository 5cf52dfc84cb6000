import { expect, it } from 'vitest';
import { byVersionPriority } from './versions.ts';

it('stable comes before beta before alpha before anything else, and higher before lower', () => {
  const sorted = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ];
  expect(sorted.toReversed().toSorted(byVersionPriority)).toEqual(sorted);
});
