/** A case states one rule of a Kubernetes API and proves it on any server. */
import type { Collection, Resource } from './collection.ts';
import type { ResourceName } from './resources.ts';
import type { Target } from './target.ts';

/** What not every server does; a case that needs it is not asked of one that lacks it. */
export type Need =
  /** Objects whose owners are gone are collected, and the deletion policies carried out. */
  | 'garbageCollector'
  /** Each namespace gets its ServiceAccount and certificate; Secrets are filled with tokens. */
  | 'accountControllers'
  /** Aggregated ClusterRoles are given their rules. */
  | 'clusterRoleController'
  /** A namespace that is deleted is emptied and then goes. */
  | 'namespaceController'
  /** Kubelets are asked over the network. */
  | 'kubelets'
  /** Revision 1 is too old to watch from. */
  | 'forgottenHistory';

export interface Case {
  /** A sentence that is true of every Kubernetes API; unique in the suite. */
  readonly rule: string;
  readonly needs?: readonly Need[];
  run(context: Context): Promise<void>;
}

/** What a case works with. The collections are in a fresh namespace that belongs to the case alone. */
export interface Context extends Readonly<Record<ResourceName, Collection>> {
  readonly target: Target;
  readonly namespace: string;
  /** For names of cluster-scoped things: part of no other case's names. */
  readonly suffix: string;
  /** The objects of any resource, in the namespace of the case unless another is named. */
  readonly of: (resource: Resource, namespace?: string) => Collection;
}
