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

it('a token that is good names its ServiceAccount and its Pod', () => {
  const owner = { namespace: 'runners', serviceAccount: 'linux-1', pod: { name: 'linux-1', uid: 'u1' } };
  expect(ownerIn({ status: good }, 'ours')).toEqual(owner);
});

it.for([
  ['is not authenticated', { authenticated: false }],
  ['was found wanting', { error: 'expired' }],
  ['is for another audience, which the API server did not mind', { audiences: ['other'] }],
  ['is for no audience', { audiences: [] }],
  ['is of a person', { user: { ...good.user, username: 'mona' } }],
  ['is of nobody', { user: undefined }],
] as const)('one that %s is of nobody', ([, change]) => {
  expect(ownerIn({ status: { ...good, ...change } }, 'ours')).toBeUndefined();
});

it('without a Pod it is of none', () => {
  expect(ownerIn({ status: { ...good, user: { ...good.user, extra: {} } } }, 'ours')?.pod).toBeUndefined();
});
