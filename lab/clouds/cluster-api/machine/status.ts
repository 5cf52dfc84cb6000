/** The status of a Machine: computed from the observed objects and the previous status. */
import type { Said } from '../../../../src/kube/reconciler/conditions.ts';
import { conditionOf, isPaused, isTrue, saidPaused, withSaid } from '../conditions.ts';
import { isProvisioned } from '../foreign.ts';
import type { Machine } from '../kinds.ts';
import { isDeleting } from '../step.ts';
import { saidOfNode } from './node-conditions.ts';
import type { ObservedMachine } from './plan.ts';

type Status = NonNullable<Machine['status']>;

export function statusOfMachine(observed: ObservedMachine): Status {
  const { now, machine, cluster, infrastructure } = observed;
  const { status = {} } = machine;
  // The infrastructure of a Machine without a phase may not be created yet.
  if (cluster === undefined || (infrastructure === undefined && status.phase === undefined)) return status;
  if (isPaused(machine, cluster))
    return { ...status, conditions: withSaid(machine, [saidPaused(true)], now) };
  const observedGeneration = machine.metadata.generation ?? 1;
  const next: Status = { ...status, ...factsOf(observed), observedGeneration };
  const said = [...saidOf(observed, next), saidPaused(false)];
  return { ...next, phase: phaseOf(machine, next), conditions: withSaid(machine, said, now) };
}

/** Set once and kept: that the infrastructure is provisioned, and the name of the Node. */
function factsOf({ machine, infrastructure, node }: ObservedMachine): Status {
  const { status = {}, spec } = machine;
  const isThere =
    infrastructure !== undefined && isProvisioned(infrastructure) && spec.providerID !== undefined;
  const addresses = isThere ? infrastructure.object.status?.addresses : undefined;
  return {
    initialization: { ...status.initialization, ...(isThere && { infrastructureProvisioned: true }) },
    ...(addresses !== undefined && { addresses }),
    ...(node !== undefined && { nodeRef: { name: node.metadata.name } }),
  };
}

function phaseOf(machine: Machine, { initialization, nodeRef }: Status): string {
  if (isDeleting(machine)) return 'Deleting';
  const isThere = initialization?.infrastructureProvisioned === true;
  if (nodeRef !== undefined && isThere) return 'Running';
  return machine.spec.providerID === undefined ? 'Pending' : 'Provisioned';
}

function saidOf(observed: ObservedMachine, next: Status): readonly Said[] {
  const { cluster, machine, node, isUpToDate } = observed;
  const isGateOpen = cluster !== undefined && isTrue(cluster, 'ControlPlaneInitialized');
  const infrastructure = saidOfInfrastructure(observed, next);
  const { ready: nodeReady, healthy } = saidOfNode({ node, isGateOpen, hadOne: next.nodeRef !== undefined });
  const leaves = isDeleting(machine);
  const ready = saidReady([infrastructure, healthy], leaves);
  return [
    infrastructure,
    nodeReady,
    healthy,
    ready,
    positive('Available', ready.status === 'True', 'NotReady'),
    positive('Deleting', leaves, 'NotDeleting'),
    ...(isUpToDate === undefined ? [] : [positive('UpToDate', isUpToDate, 'NotUpToDate')]),
  ];
}

function positive(type: string, isSo: boolean, otherwise: string): Said {
  return isSo ? { type, status: 'True', reason: type } : { type, status: 'False', reason: otherwise };
}

/** The Ready condition of the infrastructure; without that condition, provisioned counts. */
function saidOfInfrastructure({ infrastructure }: ObservedMachine, { initialization }: Status): Said {
  const type = 'InfrastructureReady';
  if (infrastructure === undefined) return { type, status: 'False', reason: 'Deleted' };
  const said = conditionOf(infrastructure.object, 'Ready');
  if (said !== undefined) return { type, status: said.status, reason: said.reason, message: said.message };
  return initialization?.infrastructureProvisioned === true
    ? { type, status: 'True', reason: 'Ready' }
    : { type, status: 'False', reason: 'NotReady' };
}

function saidReady(parts: readonly Said[], leaves: boolean): Said {
  const type = 'Ready';
  const bad = parts.find(({ status }) => status === 'False');
  if (leaves || bad !== undefined)
    return { type, status: 'False', reason: 'NotReady', message: bad?.message ?? '' };
  const open = parts.find(({ status }) => status === 'Unknown');
  return open === undefined
    ? { type, status: 'True', reason: 'Ready' }
    : { type, status: 'Unknown', reason: 'ReadyUnknown', message: open.message ?? '' };
}
