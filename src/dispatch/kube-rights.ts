/**
 * The RBAC rights of dispatch, with reasons. The roles of the chart are generated from this table. A test compares it
 * with the requests that a real API server got: a missing verb is refused there, and an extra verb is never used.
 */
import { runnerPools } from '../runner-pools/state/runner-pool-objects.ts';
import { pods, serviceAccounts, tokenReviews } from '../kube/client/builtin-resources.ts';
import type { Resource } from '../kube/client/kube-object.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

interface Right {
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly verbs: readonly Verb[];
  readonly why: string;
  /** Verbs that an ordinary run of a fleet does not use, with the reason. */
  readonly rare?: Readonly<Partial<Record<Verb, string>>>;
}

/**
 * `dispatch` is a Role in the runner namespace. `dispatch-reviews`
 * is a ClusterRole, since a TokenReview has no namespace.
 */
export const dispatchRights: Readonly<Record<'dispatch' | 'dispatch-reviews', readonly Right[]>> = {
  dispatch: [
    {
      resource: runnerPools,
      verbs: ['list', 'watch'],
      why: 'to map job labels to pools',
      rare: { list: 'for API servers without streaming lists' },
    },
    {
      resource: pods,
      verbs: ['get', 'list', 'patch', 'delete'],
      why: 'to stamp Pods with the account of their job, and to remove orphaned Pods',
    },
    {
      resource: serviceAccounts,
      verbs: ['get', 'delete'],
      why: 'to find the pool of a Pod; removed with an orphaned Pod',
    },
  ],
  'dispatch-reviews': [
    { resource: tokenReviews, verbs: ['create'], why: 'to authenticate Pods and the manager' },
  ],
};
