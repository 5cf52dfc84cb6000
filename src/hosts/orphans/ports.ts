/** Ports of the controller of hosts without an owner. */
import type { FleetView } from '../state/host-state.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface OrphanReclaimerPorts {
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly view: () => FleetView;
  /** Like `view`, with every machine read from the API server. */
  readonly completeView: () => Promise<FleetView>;
  /** Number of complete inventories of the zone so far. */
  readonly inventories: (zone: string) => number;
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly poolPrefix: string;
  readonly reclaimsMax: number;
  /** Called after each pass with the hosts without an owner. */
  readonly counted: (unanswered: readonly MacHostObject[]) => void;
  readonly reclaimed: () => void;
}
