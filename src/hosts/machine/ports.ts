/** What the controller of machines is given. */
import type { FleetView } from '../state/host-state.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Provider, Server, ServerAddress } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Gate } from './decision.ts';
import type { PoolRules } from './host-requirements.ts';

export interface MachinePorts extends PoolRules {
  readonly client: KubeClient;
  readonly provider: Pick<Provider, 'getServer'>;
  /** The server as somebody read it a moment ago, or as it is now. */
  readonly server: (address: ServerAddress) => Promise<Server>;
  readonly find: (key: string) => MachineObject | undefined;
  readonly findHost: (id: string) => MacHostObject | undefined;
  readonly hosts: () => readonly MacHostObject[];
  /** Hosts that are called like the machine, or whose record names it. */
  readonly hostsAbout: (machine: MachineObject) => readonly MacHostObject[];
  /** Whose each host is, as the caches have it. */
  readonly view: () => FleetView;
  /** Hosts whose pending name belongs to no adoption any more. */
  readonly pendingAtRest: () => ReadonlySet<string>;
  /** Machines that say they have this host, or are about to. */
  readonly meaning: (hostId: string) => readonly MachineObject[];
  /** Those of this name, in any namespace. */
  readonly called: (name: string) => readonly MachineObject[];
  /** Whether a complete listing of the zone was taken up: only then does it say anything that a host has no object. */
  readonly isListed: (zone: string) => boolean;
  /** What stands above the machine; `fresh` just before something is taken. */
  readonly gate: (machine: MachineObject, how: 'remembered' | 'fresh') => Promise<Gate>;
  readonly now: () => number;
  readonly secretsNamespace: string;
}
