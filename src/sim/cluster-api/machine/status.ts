/** What a Machine says of itself: computed from what was seen, and from what it has said before. */
import type { Said } from '../../../runtime/controller/conditions.ts';
import type { Node } from '../../../runtime/kube/builtin-resources.ts';
import { conditionOf, isPaused, saidPaused, withSaid } from '../conditions.ts';
import { isProvisioned } from '../foreign.ts';
import type { Cluster, Machine } from '../kinds.ts';
import { isLeaving } from '../step.ts';
import { isGateOpen, type ObservedMachine } from './plan.ts';

type Status = NonNullable<Machine['status']>;

export function statusOfMachine(observed: ObservedMachine): Status {
  const { now, machine, cluster, infrastructure } = observed;
  const { status = {} } = machine;
  // A Machine that has said nothing yet is one whose infrastructure may still have to be made.
  if (cluster === undefined || (infrastructure === undefined && status.phase === undefined)) return status;
  if (isPaused(machine, cluster))
    return { ...status, conditions: withSaid(machine, [saidPaused(true)], now) };
  const next: Status = {
    ...status,
    ...factsOf(observed, cluster),
    observedGeneration: machine.metadata.generation ?? 1,
  };
  return {
    ...next,
    phase: phaseOf(machine, next),
    conditions: withSaid(machine, saidOf(observed, next), now),
  };
}

function factsOf({ machine, infrastructure, node }: ObservedMachine, cluster: Cluster): Status {
  const { status = {}, spec } = machine;
  const isThere =
    status.initialization?.infrastructureProvisioned === true ||
    (infrastructure !== undefined && isProvisioned(infrastructure) && spec.providerID !== undefined);
  const addresses = isThere ? infrastructure?.object.status?.addresses : undefined;
  return {
    initialization: {
      ...status.initialization,
      bootstrapDataSecretCreated: spec.bootstrap.dataSecretName !== undefined,
      ...(isThere && { infrastructureProvisioned: true }),
    },
    ...(addresses !== undefined && { addresses }),
    ...(node !== undefined && isGateOpen(cluster) && { nodeRef: { name: node.metadata.name } }),
  };
}

/** The later questions count for more. */
function phaseOf(machine: Machine, { initialization, nodeRef }: Status): string {
  if (isLeaving(machine)) return 'Deleting';
  const isThere = initialization?.infrastructureProvisioned === true;
  if (nodeRef !== undefined && isThere) return 'Running';
  if (machine.spec.providerID !== undefined) return 'Provisioned';
  return initialization?.bootstrapDataSecretCreated === true ? 'Provisioning' : 'Pending';
}

function saidOf(observed: ObservedMachine, next: Status): readonly Said[] {
  const { machine, node, isUpToDate } = observed;
  const infrastructure = saidInfrastructure(observed, next);
  const healthy = saidHealthy(node, next);
  const deleting: Said = isLeaving(machine)
    ? { type: 'Deleting', status: 'True', reason: 'Deleting' }
    : { type: 'Deleting', status: 'False', reason: 'NotDeleting' };
  const ready = saidReady([infrastructure, healthy], isLeaving(machine));
  return [
    ...[
      infrastructure,
      saidNodeReady(node, next),
      healthy,
      deleting,
      ready,
      saidAvailable(ready),
      saidPaused(false),
    ],
    ...(isUpToDate === undefined ? [] : [saidUpToDate(isUpToDate)]),
  ];
}

/** What the infrastructure says of its readiness; where it says nothing, its being there counts. */
function saidInfrastructure({ infrastructure }: ObservedMachine, { initialization }: Status): Said {
  const type = 'InfrastructureReady';
  if (infrastructure === undefined) return { type, status: 'False', reason: 'Deleted' };
  const said = conditionOf(infrastructure.object, 'Ready');
  if (said !== undefined) return { type, status: said.status, reason: said.reason, message: said.message };
  return initialization?.infrastructureProvisioned === true
    ? { type, status: 'True', reason: 'Ready' }
    : { type, status: 'False', reason: 'NotReady' };
}

function saidNodeReady(node: Node | undefined, { nodeRef }: Status): Said {
  const type = 'NodeReady';
  if (nodeRef === undefined || node === undefined) return withoutNode(type, nodeRef !== undefined);
  const status = nodeStatus(node, 'Ready');
  if (status === 'True') return { type, status, reason: 'NodeReady' };
  return status === 'False'
    ? { type, status, reason: 'NodeNotReady' }
    : { type, status: 'Unknown', reason: 'NodeReadyUnknown' };
}

const good: Readonly<Record<string, string>> = {
  Ready: 'True',
  MemoryPressure: 'False',
  DiskPressure: 'False',
  PIDPressure: 'False',
};

function saidHealthy(node: Node | undefined, { nodeRef }: Status): Said {
  const type = 'NodeHealthy';
  if (nodeRef === undefined || node === undefined) return withoutNode(type, nodeRef !== undefined);
  const bad = Object.keys(good).filter((one) => {
    const status = nodeStatus(node, one);
    return status !== undefined && status !== 'Unknown' && status !== good[one];
  });
  if (bad.length > 0) return { type, status: 'False', reason: 'NodeNotHealthy', message: bad.join(', ') };
  const open = Object.keys(good).filter((one) => nodeStatus(node, one) !== good[one]);
  if (open.length > 0)
    return { type, status: 'Unknown', reason: 'NodeHealthUnknown', message: open.join(', ') };
  return { type, status: 'True', reason: 'NodeHealthy' };
}

function withoutNode(type: string, hadOne: boolean): Said {
  return hadOne
    ? { type, status: 'False', reason: 'NodeDeleted' }
    : { type, status: 'Unknown', reason: 'InspectionFailed' };
}

function nodeStatus({ status }: Node, type: string): string | undefined {
  return status?.conditions?.find((one) => one.type === type)?.status;
}

function saidReady(parts: readonly Said[], leaves: boolean): Said {
  const type = 'Ready';
  const bad = parts.find(({ status }) => status === 'False');
  if (leaves || bad !== undefined)
    return { type, status: 'False', reason: 'NotReady', message: bad?.message ?? '' };
  const open = parts.find(({ status }) => status === 'Unknown');
  if (open !== undefined)
    return { type, status: 'Unknown', reason: 'ReadyUnknown', message: open.message ?? '' };
  return { type, status: 'True', reason: 'Ready' };
}

function saidAvailable({ status }: Said): Said {
  return status === 'True'
    ? { type: 'Available', status: 'True', reason: 'Available' }
    : { type: 'Available', status: 'False', reason: 'NotReady' };
}

function saidUpToDate(isUpToDate: boolean): Said {
  return isUpToDate
    ? { type: 'UpToDate', status: 'True', reason: 'UpToDate' }
    : { type: 'UpToDate', status: 'False', reason: 'NotUpToDate' };
}
