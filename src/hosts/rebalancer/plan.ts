/**
 * When a Deployment is rolled because the set of Macs has changed. A scheduler never moves a running Pod, so a Mac that
 * joins would stay empty; a changed mark on the Pod template makes the Deployment place its Pods anew. What counts are
 * Nodes that are ready, for only those can take a Pod.
 */
import { isDeleting } from '../../kube/client/kube-object.ts';
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import type { Reason } from '../../api/conditions/reasons.ts';
import type { Plan } from '../../kube/reconciler/plan.ts';
import type { Deployment, Node } from '../../kube/client/builtin-resources.ts';

export interface Observed {
  readonly now: number;
  /** Of the Deployment. */
  readonly key: string;
  readonly deployment: Deployment | undefined;
  /** Undefined while not all of them are known: half of them would look like a smaller fleet. */
  readonly nodes: readonly Node[] | undefined;
  /** Makes a short mark of a text; each text has its own. */
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

/** What the Nodes of all Macs carry. */
const macLabels: Readonly<Record<string, string>> = {
  'kubernetes.io/os': 'darwin',
  [labels.runtime.key]: 'tart',
};
export const macSelector = Object.entries(macLabels)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

/** The Deployment is not watched, so that a right to one object is enough. */
const waits = { forNodes: 5000, forRoll: 30_000, again: 5 * 60_000 };

export function plan(observed: Observed): Plan<Action> {
  const { now, key } = observed;
  const { reason, detail, action, lookAgainMs } = decide(observed);
  return {
    actions: action === undefined ? [] : [action],
    notes: [{ subject: key, reason, detail }],
    lookAgainAt: now + lookAgainMs,
  };
}

export function decide({ deployment, nodes, markOf }: Observed): Decision {
  if (nodes === undefined)
    return { reason: 'NotYetObserved', detail: 'the Nodes are being listed', lookAgainMs: waits.forNodes };
  if (deployment === undefined)
    return { reason: 'NoDeployment', detail: 'there is no such Deployment', lookAgainMs: waits.again };
  const names = readyNames(nodes, deployment);
  const mark = markOf(names.join(','));
  const over = `${names.length} ready Macs`;
  if (markOn(deployment) === mark)
    return { reason: 'Spread', detail: `it is spread over ${over}`, lookAgainMs: waits.again };
  if (!isSettled(deployment))
    return { reason: 'Rolling', detail: 'it is still being rolled', lookAgainMs: waits.forRoll };
  return {
    reason: 'Spreading',
    detail: `it is rolled to use ${over}`,
    action: { kind: 'roll', mark },
    lookAgainMs: waits.forRoll,
  };
}

/** Of the Macs that its Pods may run on, so that another fleet's growth does not roll it. In a fixed order. */
export function readyNames(nodes: readonly Node[], { spec }: Deployment): readonly string[] {
  const wanted = spec?.template.spec?.nodeSelector ?? {};
  return nodes
    .filter((node) => isReady(node) && !isDeleting(node))
    .filter((node) => hasLabels(node, macLabels) && hasLabels(node, wanted))
    .map(({ metadata }) => metadata.name)
    .toSorted((one, other) => (one < other ? -1 : 1));
}

/** What of a Node can change the decision. */
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

/** All that is wanted is there, in its present form, and nothing else. */
function isSettled({ metadata, spec, status = {} }: Deployment): boolean {
  const { observedGeneration = 0, unavailableReplicas = 0 } = status;
  if ((metadata.generation ?? 0) > observedGeneration || unavailableReplicas > 0) return false;
  const wanted = spec?.replicas ?? 1;
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas];
  return counts.every((count = 0) => count === wanted);
}
