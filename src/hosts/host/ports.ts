/** Ports of the host controller. */
import type { FleetView } from '../state/host-state.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { Provider, Server } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface HostPorts {
  readonly provider: Provider;
  readonly client: KubeClient;
  readonly find: (id: string) => MacHostObject | undefined;
  readonly view: () => FleetView;
  /** Like `view`, with machines read from the API server: all of them, or those that the cache knows for the host. */
  readonly freshView: (host: MacHostObject, which: 'all-machines' | 'its-machines') => Promise<FleetView>;
  readonly now: () => number;
  /** Checked just before each request that cannot be undone. */
  readonly mayAct: () => boolean;
  /** Called with each server that was read on its own. */
  readonly seen: (server: Server) => void;
  /** Called before each request that changes a server: earlier reads of the server are stale from then on. */
  readonly touched: (server: Server) => void;
}
