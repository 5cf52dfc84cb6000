/** Ports of the rebalancer. */
import type { Node } from '../../kube/client/builtin-resources.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface FleetSpreadPorts {
  readonly client: KubeClient;
  /** All Macs; undefined until all of them are known. */
  readonly nodes: () => readonly Node[] | undefined;
  readonly now: () => number;
  readonly namespace: string;
  readonly deployment: string;
}
