/** Reads past the cache, just before an action. */
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { macHosts, machines, type MachineObject } from '../state/objects.ts';
import { placeOf } from './machine-predicates.ts';

/** The machine as it is stored, unless another machine has its name now. */
export async function readMachine(
  client: KubeClient,
  machine: MachineObject,
): Promise<MachineObject | undefined> {
  const { object } = await freshRead(client, machines, placeOf(machine));
  return object?.metadata.uid === machine.metadata.uid ? object : undefined;
}

/** Whether the stored claim of the host is that of the machine. */
export async function holdsHost(
  client: KubeClient,
  { metadata }: MachineObject,
  hostId: string,
): Promise<boolean> {
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  return host?.spec?.claim?.uid === metadata.uid;
}
