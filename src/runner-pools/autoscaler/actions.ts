/** Writes the replicas of a pool. */
import { runnerPools } from '../state/runner-pool-objects.ts';
import { timeText } from '../../platform/time-text.ts';
import { freshRead } from '../../kube/reconciler/fresh-read.ts';
import type { ActionResult } from '../../kube/reconciler/plan.ts';
import { decide, type Action, type Observed } from './plan.ts';
import type { AutoscalePorts } from './ports.ts';

/** Decides again from a fresh read, so that a change by an operator is not overwritten. */
export async function scale(
  { client, now }: Pick<AutoscalePorts, 'client' | 'now'>,
  { replicas }: Action,
  observed: Observed,
): Promise<ActionResult> {
  const { name, namespace = '', uid } = observed.pool.metadata;
  const { object: current } = await freshRead(client, runnerPools, { namespace, name });
  if (current?.metadata.uid !== uid) return 'precondition-lost';
  if (decide({ ...observed, pool: current }).action?.replicas !== replicas) return 'precondition-lost';
  const { resourceVersion } = current.metadata;
  const merge = { metadata: { resourceVersion }, spec: { replicas } };
  await client.patch(runnerPools, { namespace, name }, { merge });
  if (replicas > current.spec.replicas) return 'requested';
  const lowered = { metadata: { uid }, status: { lastScaleDownAt: timeText(now()) } };
  await client.patch(runnerPools, { namespace, name, subresource: 'status' }, { merge: lowered });
  return 'requested';
}
