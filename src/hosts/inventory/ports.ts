/** Ports of the inventory. */
import type { MacHostObject } from '../state/objects.ts';
import type { Provider, Server } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Observed } from './plan.ts';

export interface Read {
  readonly server: Server;
  readonly isCurrent: boolean;
}

export interface CompleteListing {
  /** When the listing was requested. */
  readonly began: number;
  /** When the listing was complete. */
  readonly at: number;
  readonly ids: readonly string[];
}

export interface InventoryPorts {
  readonly provider: Pick<Provider, 'listServers' | 'getServer'>;
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly now: () => number;
  readonly intervalMs: number;
  readonly claimPrefix: string;
  readonly isSpokenFor: Observed['isSpokenFor'];
  readonly prices: Observed['prices'];
  /** Whether the zone is still in use. */
  readonly isKept: (zone: string) => boolean;
  /** All zones that are listed. */
  readonly zones: () => readonly string[];
  /** The latest read of this server since that time, and whether no request has changed the server after it. */
  readonly readSince: (id: string, at: number) => Read | undefined;
  /** Called after each complete listing. Returns whether the listing counts, or came too soon after another. */
  readonly listed: (zone: string, listing: CompleteListing) => boolean;
  /**
   * Called when the provider answered as if the zone did not exist. Returns when to ask again, or undefined if the
   * zone exists and the error is an ordinary failure.
   */
  readonly refused: (zone: string, why: string) => number | undefined;
}
