/** A case states one rule of a Kubernetes API and proves the rule on any server. */
import type { Collection, Resource } from './collection.ts';
import type { ResourceName } from './resources.ts';
import type { Target } from './target.ts';

/** A feature that not every server has; a case that needs the feature is skipped on a server without it. */
export type Need =
  /** Garbage collection by owner references, and the deletion policies. */
  | 'garbageCollector'
  /** Each namespace gets its ServiceAccount and certificate; Secrets are filled with tokens. */
  | 'accountControllers'
  /** Aggregated ClusterRoles are given their rules. */
  | 'clusterRoleController'
  /** A deleted namespace is emptied and then removed. */
  | 'namespaceController'
  /** Kubelets are reached over the network. */
  | 'kubelets'
  /** Revision 1 is too old to watch from. */
  | 'forgottenHistory';

export interface Case {
  /** A sentence that is true of every Kubernetes API; unique in the suite. */
  readonly rule: string;
  readonly needs?: readonly Need[];
  run(context: Context): Promise<void>;
}

/** What a case works with. The collections are in a new namespace that belongs to the case alone. */
export interface Context extends Readonly<Record<ResourceName, Collection>> {
  readonly target: Target;
  readonly namespace: string;
  /** A suffix for names of cluster-scoped objects: in no other case's names. */
  readonly suffix: string;
  /** The objects of any resource, in the namespace of the case unless another is named. */
  readonly of: (resource: Resource, namespace?: string) => Collection;
}
