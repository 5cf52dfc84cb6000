/** The conditions of a Machine about its Node. */
import type { Said } from '../../../../src/kube/reconciler/conditions.ts';
import type { Node } from '../../../../src/kube/client/builtin-resources.ts';

interface SeenNode {
  readonly node: Node | undefined;
  /** Before the control plane is initialized a Machine has no Node conditions. */
  readonly isGateOpen: boolean;
  readonly hadOne: boolean;
}

interface SaidOfNode {
  readonly ready: Said;
  readonly healthy: Said;
}

/** A Node has to report all of these. */
const good: Readonly<Record<string, string>> = {
  Ready: 'True',
  MemoryPressure: 'False',
  DiskPressure: 'False',
  PIDPressure: 'False',
};

export function saidOfNode({ node, isGateOpen, hadOne }: SeenNode): SaidOfNode {
  if (!isGateOpen) return both('Unknown', 'InspectionFailed');
  if (node === undefined) return hadOne ? both('False', 'NodeDeleted') : both('Unknown', 'InspectionFailed');
  return { ready: readyOf(node), healthy: healthyOf(node) };
}

function both(status: Said['status'], reason: string): SaidOfNode {
  return { ready: { type: 'NodeReady', status, reason }, healthy: { type: 'NodeHealthy', status, reason } };
}

function readyOf(node: Node): Said {
  const type = 'NodeReady';
  const status = statusOf(node, 'Ready');
  if (status === 'True') return { type, status, reason: 'NodeReady' };
  return status === 'False'
    ? { type, status, reason: 'NodeNotReady' }
    : { type, status: 'Unknown', reason: 'NodeReadyUnknown' };
}

function healthyOf(node: Node): Said {
  const type = 'NodeHealthy';
  const open = Object.keys(good).filter((one) => statusOf(node, one) !== good[one]);
  const bad = open.filter((one) => ['True', 'False'].includes(statusOf(node, one) ?? ''));
  if (bad.length > 0) return { type, status: 'False', reason: 'NodeNotHealthy', message: bad.join(', ') };
  return open.length === 0
    ? { type, status: 'True', reason: 'NodeHealthy' }
    : { type, status: 'Unknown', reason: 'NodeHealthUnknown', message: open.join(', ') };
}

function statusOf({ status }: Node, type: string): string | undefined {
  return status?.conditions?.find((one) => one.type === type)?.status;
}
