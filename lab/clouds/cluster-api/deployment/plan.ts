/** Decides about a MachineDeployment: a MachineSet for its template, and the right number in each of its sets. */
import type { Said } from '../../../../src/kube/reconciler/conditions.ts';
import type { Note, Plan } from '../../../../src/kube/reconciler/plan.ts';
import { apiVersionOf, keyOf } from '../../../../src/kube/client/kube-object.ts';
import { isPaused, saidPaused, withSaid } from '../conditions.ts';
import type { Found } from '../foreign.ts';
import {
  clusters,
  finalizers,
  labels,
  machineDeployments,
  machineSets,
  type Cluster,
  type MachineDeployment,
  type MachineSet,
} from '../kinds.ts';
import { lookAgainMs } from '../ports.ts';
import {
  controllerReference,
  isHeld,
  isDeleting,
  isOwnedBy,
  ownerReference,
  type Step,
  type Target,
} from '../step.ts';
import { currentSet } from '../template.ts';
import { replicasToBeginWith, scaling } from './scaling.ts';

export interface ObservedDeployment {
  readonly now: number;
  readonly deployment: MachineDeployment;
  readonly cluster: Cluster | undefined;
  /** By age, read past the cache. */
  readonly sets: readonly MachineSet[];
  readonly template: Found | undefined;
  /** For the name of a new set. */
  readonly suffix: string;
}

export function planDeployment(observed: ObservedDeployment): Plan<Step> {
  const { now, cluster, deployment } = observed;
  const subject = keyOf(deployment);
  const note = (reason: string, detail: string): readonly Note[] => [{ subject, reason, detail }];
  if (cluster === undefined)
    return {
      actions: [],
      notes: note('NoCluster', 'its Cluster does not exist'),
      requeueAt: now + lookAgainMs,
    };
  if (isPaused(deployment, cluster)) return { actions: [], notes: note('Paused', 'the object is paused') };
  if (isDeleting(deployment))
    return { actions: leavingSteps(observed), notes: note('Leaving', 'its sets must be deleted first') };
  if (observed.template === undefined)
    return {
      actions: standingSteps(observed, cluster),
      notes: note('NoTemplate', 'the template of its infrastructure does not exist'),
      requeueAt: now + lookAgainMs,
    };
  return { actions: standingSteps(observed, cluster), notes: [] };
}

function targetOf(deployment: MachineDeployment): Target {
  return { resource: machineDeployments, object: deployment };
}

function leavingSteps({ deployment, sets }: ObservedDeployment): readonly Step[] {
  const finalizer = finalizers.machineDeployment;
  if (!isHeld(deployment, finalizer)) return [];
  if (sets.length === 0) return [{ kind: 'remove-finalizer', target: targetOf(deployment), finalizer }];
  return sets
    .filter((set) => !isDeleting(set))
    .map((object) => ({ kind: 'delete', target: { resource: machineSets, object } }));
}

function standingSteps(observed: ObservedDeployment, cluster: Cluster): readonly Step[] {
  const { deployment, template, sets } = observed;
  const target = targetOf(deployment);
  const finalizer = finalizers.machineDeployment;
  if (!isHeld(deployment, finalizer)) return [{ kind: 'add-finalizer', target, finalizer }];
  if (!isOwnedBy(deployment, cluster)) return [belongStep(target, cluster)];
  if (template === undefined) return [];
  const owning = isOwnedBy(template.object, cluster) ? [] : [belongStep(template, cluster)];
  const current = currentSet(deployment, sets);
  if (current === undefined) return [...owning, creationOf(observed)];
  const others = sets.filter((set) => set !== current);
  const changes = [...scaling(deployment, current, others)].map(([object, replicas]): Step => ({
    kind: 'change',
    target: { resource: machineSets, object },
    merge: { spec: { replicas } },
  }));
  return [...owning, ...changes, ...cleaning(deployment, current, others)];
}

/** Once all Machines have the present template, empty old sets are deleted. */
function cleaning(
  deployment: MachineDeployment,
  { status }: MachineSet,
  others: readonly MachineSet[],
): readonly Step[] {
  const { replicas } = deployment.spec;
  const isComplete = status?.replicas === replicas && status.availableReplicas === replicas;
  const empty = others.filter(({ spec, status: one }) => spec.replicas === 0 && (one?.replicas ?? 0) === 0);
  if (!isComplete || empty.length < others.length) return [];
  return empty
    .filter((set) => !isDeleting(set))
    .map((object) => ({ kind: 'delete', target: { resource: machineSets, object } }));
}

function belongStep(target: Target, cluster: Cluster): Step {
  const owner = ownerReference({ resource: clusters, object: cluster });
  const ownerReferences = [...(target.object.metadata.ownerReferences ?? []), owner];
  return { kind: 'change', target, merge: { metadata: { ownerReferences } } };
}

function creationOf({ deployment, sets, suffix }: ObservedDeployment): Step {
  const { name } = deployment.metadata;
  const { clusterName, selector, deletion, template } = deployment.spec;
  const own = { [labels.templateHash]: suffix };
  const all = {
    ...template.metadata?.labels,
    ...own,
    [labels.cluster]: clusterName,
    [labels.deployment]: name,
  };
  const body = {
    apiVersion: apiVersionOf(machineSets),
    kind: machineSets.kind,
    metadata: {
      name: `${name}-${suffix}`,
      labels: all,
      finalizers: [finalizers.machineSet],
      ownerReferences: [controllerReference(targetOf(deployment))],
    },
    spec: {
      clusterName,
      replicas: replicasToBeginWith(deployment, sets),
      selector: { matchLabels: { ...selector.matchLabels, ...own } },
      ...(deletion !== undefined && { deletion }),
      template: { ...template, metadata: { ...template.metadata, labels: all } },
    },
  };
  return { kind: 'create', resource: machineSets, owner: targetOf(deployment), body };
}

type Status = NonNullable<MachineDeployment['status']>;
type Count = 'replicas' | 'readyReplicas' | 'availableReplicas' | 'upToDateReplicas';

export function statusOfDeployment({ now, deployment, cluster, sets }: ObservedDeployment): Status {
  const { status = {}, metadata, spec } = deployment;
  if (cluster === undefined) return status;
  if (isPaused(deployment, cluster))
    return { ...status, conditions: withSaid(deployment, [saidPaused(true)], now) };
  const sum = (count: Count): number => sets.reduce((all, set) => all + (set.status?.[count] ?? 0), 0);
  const availableReplicas = sum('availableReplicas');
  return {
    ...status,
    observedGeneration: metadata.generation ?? 1,
    selector: Object.entries(spec.selector.matchLabels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    replicas: sum('replicas'),
    readyReplicas: sum('readyReplicas'),
    availableReplicas,
    upToDateReplicas: sum('upToDateReplicas'),
    conditions: withSaid(
      deployment,
      [saidPaused(false), saidAvailable(availableReplicas, spec.replicas)],
      now,
    ),
  };
}

function saidAvailable(available: number, wanted: number): Said {
  if (available >= wanted) return { type: 'Available', status: 'True', reason: 'Available' };
  const message = `${available} of ${wanted} Machines are available`;
  return { type: 'Available', status: 'False', reason: 'NotAvailable', message };
}
