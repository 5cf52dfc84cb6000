/** What the controller of hosts is given. */
import type { FleetView } from '../state/host-state.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { Provider, Server } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface HostPorts {
  readonly provider: Provider;
  readonly client: KubeClient;
  readonly find: (id: string) => MacHostObject | undefined;
  readonly view: () => FleetView;
  /** As `view`, with the machines as they are stored at this moment: all of them, or those that the cache knows for the host. */
  readonly freshView: (host: MacHostObject, which: 'all-machines' | 'its-machines') => Promise<FleetView>;
  readonly now: () => number;
  /** Asked once more just before what cannot be undone. */
  readonly mayAct: () => boolean;
  /** Told of each server that was read by itself. */
  readonly seen: (server: Server) => void;
  /** Told before each request that changes a server: what was read of it until then is no longer so. */
  readonly touched: (server: Server) => void;
}
