/**
 * Decides when a Deployment is rolled because the set of Macs has changed. A scheduler never moves a running Pod, so
 * a new Mac would stay empty. A changed mark on the Pod template makes the Deployment place its Pods again. Only
 * ready Nodes count, because only those can take a Pod.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import type { Reason } from '../../api/conditions/reasons.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import type { Deployment, Node } from '../../kube/client/builtin-resources.ts';

export interface Observed {
  readonly now: number;
  /** The key of the Deployment. */
  readonly key: string;
  readonly deployment: Deployment | undefined;
  /** Undefined until all Nodes are known: a part of them would look like a smaller fleet. */
  readonly nodes: readonly Node[] | undefined;
  /** Makes a short, distinct mark of a text. */
  readonly markOf: (text: string) => string;
}

export interface Action {
  readonly kind: 'roll';
  readonly mark: string;
}

interface Decision {
  readonly reason: Reason;
  readonly detail: string;
  readonly action?: Action;
  readonly lookAgainMs: number;
}

/** The labels of every Mac's Node. */
const macLabels: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'darwin',
  [labels.runtime.key]: 'tart',
};
export const macSelector = Object.entries(macLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

/** The Deployment is polled, so that a right to one object is enough. */
const waits = { forNodes: 5000, forRoll: 30_000, again: 5 * 60_000 };

export function plan(observed: Observed): Plan<Action> {
  const { now, key } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: key, reason, detail }],
    requeueAt: now + lookAgainMs,
  };
}

export function decide({ deployment, nodes, markOf }: Observed): Decision {
  if (nodes === undefined)
    return { reason: 'NotYetObserved', detail: 'the Nodes are being listed', lookAgainMs: waits.forNodes };
  if (deployment === undefined)
    return { reason: 'NoDeployment', detail: 'the Deployment does not exist', lookAgainMs: waits.again };
  const names = readyNames(nodes, deployment);
  const mark = markOf(names.join(','));
  const over = `${names.length} ready Macs`;
  if (markOn(deployment) === mark)
    return { reason: 'Spread', detail: `the Deployment is spread over ${over}`, lookAgainMs: waits.again };
  if (!isSettled(deployment))
    return { reason: 'Rolling', detail: 'the Deployment is still being rolled', lookAgainMs: waits.forRoll };
  return {
    reason: 'Spreading',
    detail: `the Deployment is rolled to use ${over}`,
    action: { kind: 'roll', mark },
    lookAgainMs: waits.forRoll,
  };
}

/**
 * The ready Macs on which the Deployment's Pods may run, so that growth of another fleet does not roll it. Sorted.
 */
export function readyNames(nodes: readonly Node[], { spec }: Deployment): readonly string[] {
  const wanted = spec?.template.spec?.nodeSelector ?? {};
  return nodes
    .filter((node) => isReady(node) && !isDeleting(node))
    .filter((node) => hasLabels(node, macLabels) && hasLabels(node, wanted))
    .map(({ metadata }) => metadata.name)
    .toSorted((one, other) => (one < other ? -1 : 1));
}

/** The facts of a Node on which the decision depends. */
export function factsOf(node: Node | undefined): string {
  if (node === undefined) return '';
  return JSON.stringify([isReady(node), isDeleting(node), node.metadata.labels]);
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function hasLabels({ metadata }: Node, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([key, value]) => metadata.labels?.[key] === value);
}

export function markOn({ spec }: Deployment): string | undefined {
  return spec?.template.metadata?.annotations?.[annotations.fleetHash.key];
}

/** All wanted Pods exist in the current revision, and no others. */
function isSettled({ metadata, spec, status = {} }: Deployment): boolean {
  const { observedGeneration = 0, unavailableReplicas = 0 } = status;
  if ((metadata.generation ?? 0) > observedGeneration || unavailableReplicas > 0) return false;
  const wanted = spec?.replicas ?? 1;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  return counts.every((count = 0) => count === wanted);
}
