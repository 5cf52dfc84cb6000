/** Small facts of a machine as it is stored. */
import { expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { isMarkedGone } from './machine-predicates.ts';

it('only the server that a person named is called gone', () => {
  const marks = { [annotations.hostGone.key]: 'h1' };
  const metadata = { name: 'runners-1', uid: 'u1', resourceVersion: '1', annotations: marks };
  expect([isMarkedGone({ metadata }, 'h1'), isMarkedGone({ metadata }, 'h2')]).toEqual([true, false]);
});
