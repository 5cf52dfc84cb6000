/**
 * Machines whose status was lost: a move to another cluster and a restore from a backup carry none. What such a machine was
 * served by still stands in its spec. Before anything else it says so again: it would look like a new one, take a second host,
 * and leave the one that it lives on to be wiped.
 */
import { serverIdIn } from '../../api/names/provider-id.ts';
import { macHosts, machines, type MacHostObject, type MachineObject } from '../state/objects.ts';
import { goneStatus, type Claim } from '../state/host-record.ts';
import { freshList, freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isMarkedGone, placeOf } from './machine-predicates.ts';

/** What its spec says that served it, where its status says nothing. */
export function hostFromProviderId({ spec, status }: MachineObject): string | undefined {
  return (status?.serverID ?? '') === '' ? serverIdIn(spec?.providerID ?? '') : undefined;
}

/** By its status, or else by its spec. */
export function servedBy(machine: MachineObject): readonly string[] {
  const id = hostFromProviderId(machine) ?? machine.status?.serverID ?? '';
  return id === '' ? [] : [id];
}

/** `missing`: its host has no object; `unnamed`: nobody knows yet what the server is called. */
export type RestoredBinding = 'none' | 'missing' | 'unnamed' | 'recall';

export function bindingToRestore(machine: MachineObject, host: MacHostObject | undefined): RestoredBinding {
  const id = hostFromProviderId(machine);
  if (id === undefined || isMarkedGone(machine, id)) return 'none';
  if (host === undefined) return 'missing';
  const { name, status } = host.status?.observed ?? {};
  // A server that is gone is never named: its MacHost was restored after its end.
  if (name === undefined) return status === goneStatus ? 'none' : 'unnamed';
  return isNamedLike(host, machine) ? 'recall' : 'none';
}

/** Anybody who may create machines can write a spec: it counts only together with the name of the server. */
function isNamedLike({ status }: MacHostObject, { metadata }: MachineObject): boolean {
  return status?.observed?.name === metadata.name;
}

/** Compare-and-set on the machine as it was read a moment ago. */
export async function restoreBinding(
  client: KubeClient,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  if (hostFromProviderId(current) !== hostId) return 'overtaken';
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isNamedLike(host, current)) return 'overtaken';
  const { resourceVersion } = current.metadata;
  const merge = { metadata: { resourceVersion }, status: { serverID: hostId } };
  await client.patch(machines, { ...placeOf(current), subresource: 'status' }, { merge });
  return 'asked';
}

/**
 * A claim that keeps a machine from a host which served it. None is one that it made itself before it was restored under
 * another uid: there is only one machine of a name, and one that was created anew says of no host that it was served by it.
 */
export function otherClaimOn({ metadata, spec }: MacHostObject, machine: MachineObject): Claim | undefined {
  const { claim } = spec ?? {};
  if (claim === undefined || machine.status?.serverID !== metadata.name) return claim;
  const { name, namespace = '' } = machine.metadata;
  // mutation: claim-of-earlier-self
  return claim.name === name && claim.namespace === namespace ? undefined : claim;
}

/** No order, no hold and no claim of another machine that exists keeps the host from the machine. */
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

/** A restored MacHost may carry the claim of a machine that does not exist any more. */
export async function isOfNone(client: KubeClient, { uid }: Claim): Promise<boolean> {
  return !(await freshList(client, machines)).some(({ metadata }) => metadata.uid === uid);
}
