/** Ports of the controller of SSH keys. */
import type { MachineObject } from '../state/objects.ts';
import type { Provider } from '../provider/port.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { Secret } from '../../platform/secret.ts';

/** Both halves in OpenSSH format. */
export interface SshKeyPair {
  readonly publicKey: string;
  readonly privateKey: Secret;
}

/** The only source of keys. Both halves contain `comment`. */
export type KeyMaker = (comment: string) => Promise<SshKeyPair>;

export interface FleetKeyPorts {
  readonly client: KubeClient;
  readonly sshKeys: Provider['sshKeys'];
  readonly makeKey: KeyMaker;
  /** The machines of the fleet. */
  readonly machinesOf: (fleet: string) => readonly MachineObject[];
  readonly now: () => number;
  readonly namespace: string;
}
