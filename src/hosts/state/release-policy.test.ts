import { expect, it } from 'vitest';
import { releaseOf } from './release-policy.ts';

it.for([
  ['own-', 'default-', undefined, { kind: 'pool', poolPrefix: 'own-' }],
  [undefined, 'default-', undefined, { kind: 'pool', poolPrefix: 'default-' }],
  ['', 'default-', undefined, { kind: 'pool', poolPrefix: 'default-' }],
  [undefined, '', undefined, { kind: 'skip' }],
  ['own-', '', 'terminate', { kind: 'terminate' }],
  [undefined, '', 'terminate', { kind: 'terminate' }],
  ['own-', '', 'Terminate', { kind: 'pool', poolPrefix: 'own-' }],
  ['own-', '', 'pool', { kind: 'pool', poolPrefix: 'own-' }],
] as const)('prefix %j, default %j, policy %j: %j', ([poolPrefix, defaultPoolPrefix, policy, expected]) => {
  const annotations = policy === undefined ? {} : { 'tuist.dev/release-policy': policy };
  expect(releaseOf({ annotations, poolPrefix, defaultPoolPrefix })).toEqual(expected);
});
