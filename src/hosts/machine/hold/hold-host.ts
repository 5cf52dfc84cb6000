/** Holds the host of a cleared machine, and gives the host back to the machine once that is unpaused. */
import {
  isBound,
  macHosts,
  machines,
  placeOf,
  type MacHostObject,
  type MachineObject,
} from '../../state/objects.ts';
import { timeText } from '../../../platform/time-text.ts';
import { isDeleting } from '../../../kube/client/kube-object.ts';
import { freshRead } from '../../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isOfNone } from '../binding/restore-binding.ts';
import type { MachinePorts } from '../ports.ts';
import { holdPatch, isHeldFor, isHoldDue } from './operator-hold.ts';

export async function hold(
  ports: Pick<MachinePorts, 'client' | 'now'>,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { client, now } = ports;
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !isHoldDue(host, current)) return 'precondition-lost';
  const { resourceVersion } = host.metadata;
  const spec = {
    ...(host.spec?.hold === undefined && holdPatch(current, timeText(now()))),
    ...ownerPatch(host, current),
  };
  await client.patch(macHosts, { name: hostId }, { merge: { metadata: { resourceVersion }, spec } });
  return 'requested';
}

/** The deleted machine's claim ends, as after `muster detach`. A claim of another machine stays. */
function ownerPatch({ spec }: MacHostObject, machine: MachineObject): object {
  const { namespace = '', name, uid } = machine.metadata;
  if (spec?.claim !== undefined && spec.claim.uid !== uid) return {};
  const lastOwner = { namespace, name, uid };
  return isDeleting(machine) ? { lastOwner, claim: null, used: true } : { lastOwner };
}

/**
 * Binds the machine to its held host, then lifts the hold. `current`: the stored machine, neither paused nor deleted.
 * The binding is written first, because it protects the host.
 */
export async function resume(
  client: KubeClient,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !(await mayResume(client, host, current))) return 'precondition-lost';
  const { namespace = '', name, uid, resourceVersion } = current.metadata;
  if (!isBound(current)) {
    const merge = { metadata: { resourceVersion }, status: { serverID: hostId } };
    await client.patch(machines, { ...placeOf(current), subresource: 'status' }, { merge });
  }
  const owner = { namespace, name, uid };
  const spec = { hold: null, claim: owner, lastOwner: owner, used: true };
  const metadata = { resourceVersion: host.metadata.resourceVersion };
  await client.patch(macHosts, { name: hostId }, { merge: { metadata, spec } });
  return 'requested';
}

async function mayResume(client: KubeClient, host: MacHostObject, machine: MachineObject): Promise<boolean> {
  const { claim } = host.spec ?? {};
  const hasOther = isBound(machine) && machine.status?.serverID !== host.metadata.name;
  if (!isHeldFor(host, machine) || hasOther) return false;
  return claim === undefined || claim.uid === machine.metadata.uid || isOfNone(client, claim);
}
