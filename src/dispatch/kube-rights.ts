/** All that dispatch asks of Kubernetes, and why. Its roles in the chart are generated from this table. */
import { runnerPools } from '../fleet/runner-pools.ts';
import { pods, serviceAccounts, tokenReviews } from '../runtime/kube/builtin-resources.ts';
import type { Resource } from '../runtime/kube/kube-object.ts';

interface Right {
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly verbs: readonly ('get' | 'list' | 'watch' | 'create' | 'patch' | 'delete')[];
  readonly why: string;
}

/** `dispatch` in the namespace of runners, `dispatch-reviews` in all of them: a review belongs to none. */
export const dispatchRights: Readonly<Record<'dispatch' | 'dispatch-reviews', readonly Right[]>> = {
  dispatch: [
    { resource: runnerPools, verbs: ['list', 'watch'], why: 'which labels of jobs choose which pool' },
    {
      resource: pods,
      verbs: ['get', 'list', 'patch', 'delete'],
      why: 'marked with whose job they have; those that nobody speaks for are removed',
    },
    {
      resource: serviceAccounts,
      verbs: ['get', 'delete'],
      why: 'of which pool a Pod is; removed with a Pod that nobody speaks for',
    },
  ],
  'dispatch-reviews': [
    { resource: tokenReviews, verbs: ['create'], why: 'whose token a Pod or the manager shows' },
  ],
};
