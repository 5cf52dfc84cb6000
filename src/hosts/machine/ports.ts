/** Ports of the machine controller. */
import type { FleetView } from '../state/host-state.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { Provider, Server, ServerAddress } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ClusterReadiness } from './decision.ts';
import type { PoolRules } from './adoption/host-requirements.ts';

export interface MachinePorts extends PoolRules {
  readonly client: KubeClient;
  readonly provider: Pick<Provider, 'getServer'>;
  /** The server from a recent read, or read now. */
  readonly server: (address: ServerAddress) => Promise<Server>;
  readonly find: (key: string) => MachineObject | undefined;
  readonly findHost: (id: string) => MacHostObject | undefined;
  readonly hosts: () => readonly MacHostObject[];
  /** Hosts that have the name of the machine, or whose record names it. */
  readonly hostsAbout: (machine: MachineObject) => readonly MacHostObject[];
  /** The owners of hosts, by the caches. */
  readonly view: () => FleetView;
  /** Hosts whose pending name was left by an adoption that was cut off. */
  readonly pendingAtRest: () => ReadonlySet<string>;
  /** Machines that have this host, or are about to claim it. */
  readonly meaning: (hostId: string) => readonly MachineObject[];
  /** Machines of this name, in any namespace. */
  readonly called: (name: string) => readonly MachineObject[];
  /** Whether the zone was listed completely. Before that, a missing MacHost proves nothing. */
  readonly isListed: (zone: string) => boolean;
  /** State of the owning Cluster; `fresh` just before a host is taken. */
  readonly clusterReadiness: (
    machine: MachineObject,
    how: 'remembered' | 'fresh',
  ) => Promise<ClusterReadiness>;
  readonly now: () => number;
  readonly secretsNamespace: string;
}
