/**
 * Limits how many new Pods may start. Each Pod is a virtual machine that boots on its Node, and all pools on the same
 * Nodes share the limit.
 */
import {
  areSiblings,
  faultOf,
  isKata,
  nodesFor,
  type NodeFacts,
  type RunnerPoolObject,
} from '../state/runner-pool-objects.ts';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import { isProvisioning } from '../pods/runner-pods.ts';

export interface FleetView {
  /** All pools of the namespace. */
  readonly pools: readonly RunnerPoolObject[];
  /** The Pods of a pool, by its name. */
  readonly podsOf: (pool: string) => readonly Pod[];
  /** Number of Pods created for a pool and not yet in the cache. */
  readonly unseen: (pool: string) => number;
  /** Undefined until the Nodes are listed. */
  readonly nodes: readonly NodeFacts[] | undefined;
}

export type BlockReason = 'no_healthy_node' | 'fleet_cap' | 'fleet_view_error';

export type Admission =
  | { readonly available: number }
  | { readonly available: 0; readonly blocked: BlockReason };

const capDefault = 4;

export function admissionFor(pool: RunnerPoolObject, fleet: FleetView): Admission {
  if (!isKata(pool)) return { available: Number.POSITIVE_INFINITY };
  if (fleet.nodes === undefined) return { available: 0, blocked: 'fleet_view_error' };
  const isHealthy = (node: NodeFacts): boolean => faultOf(node) === undefined;
  if (!nodesFor(pool, fleet.nodes).some(isHealthy)) return { available: 0, blocked: 'no_healthy_node' };
  const siblings = fleet.pools.filter((one) => isKata(one) && areSiblings(one, pool));
  const cap = Math.min(...[pool, ...siblings].map(capOf));
  const pending = siblings.reduce((sum, { metadata }) => sum + pendingIn(metadata.name, fleet), 0);
  return pending >= cap ? { available: 0, blocked: 'fleet_cap' } : { available: cap - pending };
}

function capOf({ spec }: RunnerPoolObject): number {
  const { maxConcurrentPerFleetSelector: cap } = spec.provisioning;
  return cap > 0 ? cap : capDefault;
}

function pendingIn(pool: string, { podsOf, unseen }: FleetView): number {
  return podsOf(pool).filter(isProvisioning).length + unseen(pool);
}
