/**
 * Restores the binding of machines whose status was lost: a move to another cluster and a restore from a backup carry
 * no status. The providerID in the spec still names the server. This comes first: otherwise the machine would look
 * new, take a second host, and leave its own to be wiped.
 */
import { serverIdIn } from '../../../api/names/provider-id.ts';
import { macHosts, machines, placeOf, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { goneStatus, type Claim } from '../../state/host-record.ts';
import { freshList, freshRead } from '../../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isMarkedGone } from '../deletion/server-gone.ts';

/** The server that the spec names, if the status names none. */
export function hostFromProviderId({ spec, status }: MachineObject): string | undefined {
  return (status?.serverID ?? '') === '' ? serverIdIn(spec?.providerID ?? '') : undefined;
}

/** The server in the status, or else in the spec. */
export function servedBy(machine: MachineObject): readonly string[] {
  const id = hostFromProviderId(machine) ?? machine.status?.serverID ?? '';
  return id === '' ? [] : [id];
}

/** `missing`: the host has no MacHost. `unnamed`: the name of the server is not known yet. */
export type RestoredBinding = 'none' | 'missing' | 'unnamed' | 'restore-binding';

export function bindingToRestore(machine: MachineObject, host: MacHostObject | undefined): RestoredBinding {
  const id = hostFromProviderId(machine);
  if (id === undefined || isMarkedGone(machine, id)) return 'none';
  if (host === undefined) return 'missing';
  const { name, status } = host.status?.observed ?? {};
  // A server that is gone never gets a name: its MacHost was restored after the server's end.
  if (name === undefined) return status === goneStatus ? 'none' : 'unnamed';
  return isNamedLike(host, machine) ? 'restore-binding' : 'none';
}

/** Anyone who may create machines can write a spec, so the spec counts only together with the server name. */
function isNamedLike({ status }: MacHostObject, { metadata }: MachineObject): boolean {
  return status?.observed?.name === metadata.name;
}

/** Compare-and-set on the machine that was just read. */
export async function restoreBinding(
  client: KubeClient,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  if (hostFromProviderId(current) !== hostId) return 'precondition-lost';
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isNamedLike(host, current)) return 'precondition-lost';
  const { resourceVersion } = current.metadata;
  const merge = { metadata: { resourceVersion }, status: { serverID: hostId } };
  await client.patch(machines, { ...placeOf(current), subresource: 'status' }, { merge });
  return 'requested';
}

/**
 * The claim of another machine on the bound host. A claim under the machine's own name is not another's: the machine
 * made it before a restore gave it a new uid. Names are unique, and a newly created machine has no binding.
 */
export function otherClaimOn({ metadata, spec }: MacHostObject, machine: MachineObject): Claim | undefined {
  const { claim } = spec ?? {};
  if (claim === undefined || machine.status?.serverID !== metadata.name) return claim;
  const { name, namespace = '' } = machine.metadata;
  // mutation: claim-of-earlier-self
  return claim.name === name && claim.namespace === namespace ? undefined : claim;
}

/** No order, no hold and no claim of another existing machine keeps the host from the machine. */
export async function isLeftToIt(
  client: KubeClient,
  host: MacHostObject,
  machine: MachineObject,
): Promise<boolean> {
  const { release, hold: kept } = host.spec ?? {};
  if ((release ?? kept) !== undefined) return false;
  const claim = otherClaimOn(host, machine);
  if (claim === undefined) return true;
  return isNamedLike(host, machine) && isOfNone(client, claim);
}

/** A restored MacHost may carry the claim of a machine that no longer exists. */
export async function isOfNone(client: KubeClient, { uid }: Claim): Promise<boolean> {
  return !(await freshList(client, machines)).some(({ metadata }) => metadata.uid === uid);
}
