/** Decides about a MachineSet: the desired number of Machines, each with infrastructure cloned from the template. */
import type { Note, Plan } from '../../../../src/kube/reconciler/plan.ts';
import { apiVersionOf, keyOf } from '../../../../src/kube/client/kube-object.ts';
import { isPaused, isTrue, saidPaused, withSaid } from '../conditions.ts';
import { clonedKindOf, type Found, type ForeignKind } from '../foreign.ts';
import {
  annotations,
  finalizers,
  labels,
  machines,
  machineSets,
  type Cluster,
  type Machine,
  type MachineSet,
} from '../kinds.ts';
import { lookAgainMs } from '../ports.ts';
import { controllerReference, isHeld, isDeleting, type Step, type Target } from '../step.ts';
import { firstToGo } from './deletion-order.ts';

export interface ObservedSet {
  readonly now: number;
  readonly set: MachineSet;
  readonly cluster: Cluster | undefined;
  /** By age, read past the cache. */
  readonly machines: readonly Machine[];
  readonly template: Found | undefined;
  /** The kind of the clones. */
  readonly clone: ForeignKind | undefined;
  /** Machines whose infrastructure was not created. */
  readonly bare: readonly Machine[];
  /** For the names of new Machines. */
  readonly suffixes: readonly string[];
}

export function planSet(observed: ObservedSet): Plan<Step> {
  const { now, cluster, set, template, clone } = observed;
  const note = (reason: string, detail: string): readonly Note[] => [{ subject: keyOf(set), reason, detail }];
  if (cluster === undefined)
    return {
      actions: [],
      notes: note('NoCluster', 'its Cluster does not exist'),
      requeueAt: now + lookAgainMs,
    };
  if (isPaused(set, cluster)) return { actions: [], notes: note('Paused', 'the object is paused') };
  if (isDeleting(set))
    return { actions: leavingSteps(observed), notes: note('Leaving', 'its Machines must be deleted first') };
  const surplus = surplusSteps(observed);
  if (template === undefined || clone === undefined)
    return {
      actions: surplus,
      notes: note('NoTemplate', 'the template of its infrastructure does not exist'),
      requeueAt: now + lookAgainMs,
    };
  return {
    actions: [...surplus, ...missingSteps(observed), ...cloneSteps(observed, template, clone)],
    notes: [],
  };
}

function leavingSteps({ set, machines: all }: ObservedSet): readonly Step[] {
  const finalizer = finalizers.machineSet;
  if (!isHeld(set, finalizer)) return [];
  if (all.length === 0)
    return [{ kind: 'remove-finalizer', target: { resource: machineSets, object: set }, finalizer }];
  return deletions(all);
}

function deletions(all: readonly Machine[]): readonly Step[] {
  return all
    .filter((machine) => !isDeleting(machine))
    .map((object) => ({ kind: 'delete', target: { resource: machines, object } }));
}

/** A Machine being deleted still counts: its replacement waits for its removal. */
function surplusSteps({ set, machines: all }: ObservedSet): readonly Step[] {
  const surplus = all.length - set.spec.replicas;
  return surplus > 0 ? deletions(firstToGo(set, all).slice(0, surplus)) : [];
}

function missingSteps({ set, suffixes }: ObservedSet): readonly Step[] {
  const owner: Target = { resource: machineSets, object: set };
  const { name: setName } = set.metadata;
  const { template } = set.spec;
  return suffixes.map((suffix) => {
    const name = `${setName}-${suffix}`;
    const { infrastructureRef } = template.spec;
    const body = {
      apiVersion: apiVersionOf(machines),
      kind: machines.kind,
      metadata: {
        name,
        labels: { ...template.metadata?.labels, [labels.set]: setName },
        ...(template.metadata?.annotations !== undefined && { annotations: template.metadata.annotations }),
        finalizers: [finalizers.machine],
        ownerReferences: [controllerReference(owner)],
      },
      spec: {
        ...template.spec,
        infrastructureRef: { ...infrastructureRef, kind: clonedKindOf(infrastructureRef), name },
      },
    };
    return { kind: 'create', resource: machines, owner, body };
  });
}

function cloneSteps({ bare }: ObservedSet, template: Found, { resource }: ForeignKind): readonly Step[] {
  return bare.map((machine) => {
    const owner: Target = { resource: machines, object: machine };
    const { kind, group } = template.resource;
    const body = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name: machine.metadata.name,
        labels: machine.metadata.labels,
        annotations: {
          [annotations.clonedFromName]: template.object.metadata.name,
          [annotations.clonedFromKind]: `${kind}.${group}`,
        },
        ownerReferences: [controllerReference(owner)],
      },
      spec: template.object.spec?.template?.spec ?? {},
    };
    return { kind: 'create', resource, owner, body };
  });
}

export function statusOfSet({
  now,
  set,
  cluster,
  machines: all,
}: ObservedSet): NonNullable<MachineSet['status']> {
  const { status = {}, metadata, spec } = set;
  if (cluster === undefined) return status;
  if (isPaused(set, cluster)) return { ...status, conditions: withSaid(set, [saidPaused(true)], now) };
  const count = (type: string): number => all.filter((machine) => isTrue(machine, type)).length;
  return {
    ...status,
    observedGeneration: metadata.generation ?? 1,
    selector: Object.entries(spec.selector.matchLabels ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    replicas: all.length,
    readyReplicas: count('Ready'),
    availableReplicas: count('Available'),
    upToDateReplicas: count('UpToDate'),
    conditions: withSaid(set, [saidPaused(false)], now),
  };
}
