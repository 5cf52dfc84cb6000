import { expect, it } from 'vitest';
import { ownerIn } from './review-result.ts';

const good = {
  authenticated: true,
  audiences: ['ours'],
  user: {
    username: 'system:serviceaccount:runners:linux-1',
    extra: {
      'authentication.kubernetes.io/pod-name': ['linux-1'],
      'authentication.kubernetes.io/pod-uid': ['u1'],
    },
  },
};

it('a valid token names its ServiceAccount and its Pod', () => {
  const owner = { namespace: 'runners', serviceAccount: 'linux-1', pod: { name: 'linux-1', uid: 'u1' } };
  expect(ownerIn({ status: good }, 'ours')).toEqual(owner);
});

it.for([
  ['is not authenticated', { authenticated: false }],
  ['has an error', { error: 'expired' }],
  ['is for another audience although authenticated', { audiences: ['other'] }],
  ['is for no audience', { audiences: [] }],
  ['is of a person', { user: { ...good.user, username: 'mona' } }],
  ['has no user', { user: undefined }],
] as const)('a token that %s has no owner', ([, change]) => {
  expect(ownerIn({ status: { ...good, ...change } }, 'ours')).toBeUndefined();
});

it('a token without a Pod names no Pod', () => {
  expect(ownerIn({ status: { ...good, user: { ...good.user, extra: {} } } }, 'ours')?.pod).toBeUndefined();
});
