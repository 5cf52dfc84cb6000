/** What to do about a Machine: take over what its infrastructure says, find its Node, and in the end let both go in order. */
import type { Note, Plan } from '../../../runtime/controller/plan.ts';
import { nodes, pods, type Node, type Pod } from '../../../runtime/kube/builtin-resources.ts';
import { keyOf } from '../../../runtime/kube/kube-object.ts';
import { isPaused, isTrue } from '../conditions.ts';
import { isProvisioned, type Found } from '../foreign.ts';
import { annotations, finalizers, machines, type Cluster, type Machine } from '../kinds.ts';
import { lookAgainMs } from '../ports.ts';
import { isHeld, isLeaving, type Step, type Target } from '../step.ts';

export interface ObservedMachine {
  readonly now: number;
  readonly machine: Machine;
  readonly cluster: Cluster | undefined;
  readonly controlPlane: Found | undefined;
  readonly infrastructure: Found | undefined;
  /** With the same id. */
  readonly node: Node | undefined;
  /** Of the Node; looked for only when the Machine is leaving. */
  readonly pods: readonly Pod[];
  /** Undefined where nobody says how it should be. */
  readonly isUpToDate: boolean | undefined;
}

/** How often a drain that is not over is looked at. */
const drainMs = 20_000;

export function planMachine(observed: ObservedMachine): Plan<Step> {
  const { now, machine, cluster } = observed;
  const note = (reason: string, detail: string): readonly Note[] => [
    { subject: keyOf(machine), reason, detail },
  ];
  if (cluster === undefined)
    return {
      actions: [],
      notes: note('NoCluster', 'its Cluster is not there'),
      lookAgainAt: now + lookAgainMs,
    };
  if (isPaused(machine, cluster)) return { actions: [], notes: note('Paused', 'it is left alone') };
  if (!isLeaving(machine)) return { actions: standingSteps(observed, cluster), notes: [] };
  const isDraining = toDrain(observed).length > 0;
  return {
    actions: leavingSteps(observed),
    notes: note('Leaving', isDraining ? 'Pods are still on its Node' : 'its infrastructure is still there'),
    lookAgainAt: now + (isDraining ? drainMs : lookAgainMs),
  };
}

function standingSteps(observed: ObservedMachine, cluster: Cluster): readonly Step[] {
  const { machine, infrastructure } = observed;
  const target: Target = { resource: machines, object: machine };
  const finalizer = finalizers.machine;
  if (!isHeld(machine, finalizer)) return [{ kind: 'hold', target, finalizer }];
  const providerID = infrastructure?.object.spec?.providerID;
  if (
    infrastructure !== undefined &&
    isProvisioned(infrastructure) &&
    providerID !== undefined &&
    providerID !== ''
  )
    if (providerID !== machine.spec.providerID)
      return [{ kind: 'change', target, merge: { spec: { providerID } } }];
  return nodeSteps(observed, cluster);
}

/** The Node is told whose it is. */
function nodeSteps(observed: ObservedMachine, cluster: Cluster): readonly Step[] {
  const { node, machine } = observed;
  if (node === undefined || !isGateOpen(cluster)) return [];
  const wanted = { [annotations.machineOfNode]: machine.metadata.name };
  if (node.metadata.annotations?.[annotations.machineOfNode] === machine.metadata.name) return [];
  return [
    {
      kind: 'change',
      target: { resource: nodes, object: node },
      merge: { metadata: { annotations: wanted } },
    },
  ];
}

/** Before that, Machines do not look for Nodes. */
export function isGateOpen(cluster: Cluster): boolean {
  return isTrue(cluster, 'ControlPlaneInitialized');
}

/** The order of these questions is the order in which things go. */
function leavingSteps(observed: ObservedMachine): readonly Step[] {
  const { machine, infrastructure, node } = observed;
  const finalizer = finalizers.machine;
  if (!isHeld(machine, finalizer)) return [];
  const ownsNode = node !== undefined && mayTouchNode(observed);
  if (ownsNode && !hasLeft(infrastructure)) {
    const draining = drainSteps(observed, node);
    if (draining.length > 0 || toDrain(observed).length > 0) return draining;
  }
  if (infrastructure !== undefined)
    return isLeaving(infrastructure.object) ? [] : [{ kind: 'delete', target: infrastructure }];
  if (ownsNode) return [{ kind: 'delete', target: { resource: nodes, object: node } }];
  return [{ kind: 'let-go', target: { resource: machines, object: machine }, finalizer }];
}

/** What is gone cannot be drained any more. */
function hasLeft(infrastructure: Found | undefined): boolean {
  return infrastructure === undefined;
}

/** Not without somebody who runs the control plane, and not while all of it goes. */
function mayTouchNode({ cluster, controlPlane }: ObservedMachine): boolean {
  if (cluster === undefined || isLeaving(cluster) || controlPlane === undefined) return false;
  const { object } = controlPlane;
  return !isLeaving(object) && object.status?.externalManagedControlPlane === true;
}

function drainSteps(observed: ObservedMachine, node: Node): readonly Step[] {
  const target: Target = { resource: nodes, object: node };
  if (node.spec?.unschedulable !== true)
    return [{ kind: 'change', target, merge: { spec: { unschedulable: true } } }];
  return toDrain(observed)
    .filter((pod) => !isLeaving(pod))
    .map((object) => ({ kind: 'evict', target: { resource: pods, object } }));
}

function toDrain(observed: ObservedMachine): readonly Pod[] {
  if (!mayTouchNode(observed)) return [];
  return observed.pods.filter(({ metadata }) => {
    const controller = metadata.ownerReferences?.find((owner) => owner.controller === true);
    return controller?.kind !== 'DaemonSet';
  });
}
