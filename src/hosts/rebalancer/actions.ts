/** Rolls the Deployment: changes the mark on its Pod template. */
import { annotations } from '../../api/names/annotations.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { deployments } from '../../kube/client/builtin-resources.ts';
import { decide, type Action, type Observed } from './plan.ts';
import type { FleetSpreadPorts } from './ports.ts';

/** Decided again from the stored objects: a roll that began meanwhile is not disturbed. */
export async function roll(
  { client, namespace, deployment: name }: FleetSpreadPorts,
  { mark }: Action,
  { observed, observe }: { readonly observed: Observed; readonly observe: () => Promise<Observed> },
): Promise<ActionResult> {
  const current = await observe();
  if (current.deployment?.metadata.uid !== observed.deployment?.metadata.uid) return 'precondition-lost';
  if (decide(current).action?.mark !== mark) return 'precondition-lost';
  const resourceVersion = current.deployment?.metadata.resourceVersion;
  const template = { metadata: { annotations: { [annotations.fleetHash.key]: mark } } };
  const merge = { metadata: { resourceVersion }, spec: { template } };
  await client.patch(deployments, { namespace, name }, { merge });
  return 'requested';
}
