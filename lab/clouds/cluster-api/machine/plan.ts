/**
 * Decides about a Machine: copy the status of its infrastructure, find its Node, and at the end delete both in order.
 */
import type { Note, Plan } from '../../../../src/kube/reconciler/plan.ts';
import { nodes, pods, type Node, type Pod } from '../../../../src/kube/client/builtin-resources.ts';
import { keyOf } from '../../../../src/kube/client/kube-object.ts';
import { isPaused } from '../conditions.ts';
import { isProvisioned, type Found } from '../foreign.ts';
import { annotations, finalizers, machines, type Cluster, type Machine } from '../kinds.ts';
import { lookAgainMs } from '../ports.ts';
import { isHeld, isDeleting, type Step, type Target } from '../step.ts';

export interface ObservedMachine {
  readonly now: number;
  readonly machine: Machine;
  readonly cluster: Cluster | undefined;
  readonly controlPlane: Found | undefined;
  readonly infrastructure: Found | undefined;
  /** The Node with the same provider id. */
  readonly node: Node | undefined;
  /** The Pods of the Node; listed only when the Machine is being deleted. */
  readonly pods: readonly Pod[];
  /** Undefined where no deployment sets a template. */
  readonly isUpToDate: boolean | undefined;
}

/** The interval for checking a drain. */
const drainMs = 20_000;

export function planMachine(observed: ObservedMachine): Plan<Step> {
  const { now, machine, cluster } = observed;
  const note = (reason: string, detail: string): readonly Note[] => [
    { subject: keyOf(machine), reason, detail },
  ];
  if (cluster === undefined)
    return {
      actions: [],
      notes: note('NoCluster', 'its Cluster does not exist'),
      requeueAt: now + lookAgainMs,
    };
  if (isPaused(machine, cluster)) return { actions: [], notes: note('Paused', 'the object is paused') };
  if (!isDeleting(machine)) return { actions: standingSteps(observed), notes: [] };
  const isDraining = toDrain(observed).length > 0;
  return {
    actions: leavingSteps(observed),
    notes: note('Leaving', isDraining ? 'Pods are still on its Node' : 'its infrastructure still exists'),
    requeueAt: now + (isDraining ? drainMs : lookAgainMs),
  };
}

function standingSteps(observed: ObservedMachine): readonly Step[] {
  const { machine } = observed;
  const target: Target = { resource: machines, object: machine };
  const finalizer = finalizers.machine;
  if (!isHeld(machine, finalizer)) return [{ kind: 'add-finalizer', target, finalizer }];
  const providerID = idOf(observed.infrastructure);
  if (providerID !== undefined && providerID !== machine.spec.providerID)
    return [{ kind: 'change', target, merge: { spec: { providerID } } }];
  return nodeSteps(observed);
}

/** Undefined until the infrastructure is provisioned. */
function idOf(infrastructure: Found | undefined): string | undefined {
  if (infrastructure === undefined || !isProvisioned(infrastructure)) return undefined;
  const { providerID } = infrastructure.object.spec ?? {};
  return providerID === '' ? undefined : providerID;
}

/** Annotates the Node with its Machine. */
function nodeSteps({ node, machine }: ObservedMachine): readonly Step[] {
  if (node === undefined) return [];
  const owner = machine.metadata.ownerReferences?.find(({ controller }) => controller === true);
  const wanted: Readonly<Record<string, string>> = {
    [annotations.clusterOfNode]: machine.spec.clusterName,
    [annotations.namespaceOfNode]: machine.metadata.namespace ?? '',
    [annotations.machineOfNode]: machine.metadata.name,
    [annotations.ownerKindOfNode]: owner?.kind ?? '',
    [annotations.ownerNameOfNode]: owner?.name ?? '',
  };
  const had = node.metadata.annotations ?? {};
  if (Object.entries(wanted).every(([key, value]) => had[key] === value)) return [];
  const merge = { metadata: { annotations: wanted } };
  return [{ kind: 'change', target: { resource: nodes, object: node }, merge }];
}

/** The order of these checks is the order of the deletion. */
function leavingSteps(observed: ObservedMachine): readonly Step[] {
  const { machine, infrastructure, node } = observed;
  const finalizer = finalizers.machine;
  if (!isHeld(machine, finalizer)) return [];
  const owned = mayTouchNode(observed) ? node : undefined;
  if (infrastructure !== undefined && isDeleting(infrastructure.object)) return [];
  if (infrastructure !== undefined)
    return drainSteps(observed, owned) ?? [{ kind: 'delete', target: infrastructure }];
  if (owned !== undefined) return [{ kind: 'delete', target: { resource: nodes, object: owned } }];
  return [{ kind: 'remove-finalizer', target: { resource: machines, object: machine }, finalizer }];
}

/** Requires an external control plane and a Cluster, both not being deleted. */
function mayTouchNode({ cluster, controlPlane }: ObservedMachine): boolean {
  if (cluster === undefined || isDeleting(cluster) || controlPlane === undefined) return false;
  const { object } = controlPlane;
  return !isDeleting(object) && object.status?.externalManagedControlPlane === true;
}

/** Undefined when the drain is over or not needed; empty while the drain waits. */
function drainSteps(observed: ObservedMachine, node: Node | undefined): readonly Step[] | undefined {
  if (node === undefined) return undefined;
  const target: Target = { resource: nodes, object: node };
  if (node.spec?.unschedulable !== true)
    return [{ kind: 'change', target, merge: { spec: { unschedulable: true } } }];
  const left = toDrain(observed);
  if (left.length === 0) return undefined;
  return left
    .filter((pod) => !isDeleting(pod))
    .map((object) => ({ kind: 'evict', target: { resource: pods, object } }));
}

function toDrain(observed: ObservedMachine): readonly Pod[] {
  if (!mayTouchNode(observed)) return [];
  return observed.pods.filter(({ metadata }) => {
    const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
    return controller?.kind !== 'DaemonSet';
  });
}
