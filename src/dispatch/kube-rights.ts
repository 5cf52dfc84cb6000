/**
 * All that dispatch asks of Kubernetes, and why. Its roles in the chart are generated from this table, and a test holds it
 * against what a real API server was asked for: a verb too few is refused there, and one too many is never used.
 */
import { runnerPools } from '../runner-pools/state/runner-pool-objects.ts';
import { pods, serviceAccounts, tokenReviews } from '../kube/client/builtin-resources.ts';
import type { Resource } from '../kube/client/kube-object.ts';

type Verb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

interface Right {
  readonly resource: Pick<Resource, 'group' | 'plural'>;
  readonly verbs: readonly Verb[];
  readonly why: string;
  /** Verbs that the usual life of a fleet does not show, with the reason. */
  readonly rare?: Readonly<Partial<Record<Verb, string>>>;
}

/** `dispatch` in the namespace of runners, `dispatch-reviews` in all of them: a review belongs to none. */
export const dispatchRights: Readonly<Record<'dispatch' | 'dispatch-reviews', readonly Right[]>> = {
  dispatch: [
    {
      resource: runnerPools,
      verbs: ['list', 'watch'],
      why: 'which labels of jobs choose which pool',
      rare: { list: 'a server without streaming lists is read in pages' },
    },
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
