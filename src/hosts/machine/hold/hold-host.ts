/** Resumes an unpaused machine: binds the machine to its held host, then lifts the hold. */
import { macHosts, machines, type MacHostObject, type MachineObject } from '../../state/objects.ts';
import { freshRead } from '../../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../../kube/reconciler/plan.ts';
import type { KubeClient } from '../../../kube/client/client.ts';
import { isHeldFor } from './operator-hold.ts';
import { isOfNone } from '../binding/restore-binding.ts';
import { isBound, placeOf } from '../machine-predicates.ts';

/**
 * `current`: the stored machine, neither paused nor deleted. The binding is written first, because it protects the
 * host.
 */
export async function resume(
  client: KubeClient,
  current: MachineObject,
  hostId: string,
): Promise<ActionResult> {
  const { object: host } = await freshRead(client, macHosts, { name: hostId });
  if (host === undefined || !(await mayResume(client, host, current))) return 'overtaken';
  const { namespace = '', name, uid, resourceVersion } = current.metadata;
  if (!isBound(current)) {
    const merge = { metadata: { resourceVersion }, status: { serverID: hostId } };
    await client.patch(machines, { ...placeOf(current), subresource: 'status' }, { merge });
  }
  const owner = { namespace, name, uid };
  const spec = { hold: null, claim: owner, lastOwner: owner, used: true };
  const metadata = { resourceVersion: host.metadata.resourceVersion };
  await client.patch(macHosts, { name: hostId }, { merge: { metadata, spec } });
  return 'asked';
}

async function mayResume(client: KubeClient, host: MacHostObject, machine: MachineObject): Promise<boolean> {
  const { claim } = host.spec ?? {};
  const hasOther = isBound(machine) && machine.status?.serverID !== host.metadata.name;
  if (!isHeldFor(host, machine) || hasOther) return false;
  return claim === undefined || claim.uid === machine.metadata.uid || isOfNone(client, claim);
}
