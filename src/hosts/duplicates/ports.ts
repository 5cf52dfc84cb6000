/** Ports of the controller of duplicates. */
import type { Duplicate } from '../state/duplicates.ts';
import type { MacHostObject, MachineObject } from '../state/objects.ts';
import type { KubeClient } from '../../kube/client/client.ts';

export interface DuplicatesPorts {
  readonly client: KubeClient;
  readonly hosts: () => readonly MacHostObject[];
  readonly machines: () => readonly MachineObject[];
  /** Whether free hosts have such names. */
  readonly isPoolName: (name: string) => boolean;
  readonly now: () => number;
  readonly repairsMax: number;
  /** Called after each pass. */
  readonly counted: (confirmed: readonly Duplicate[]) => void;
}
