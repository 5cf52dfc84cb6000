/** Nodes: defaults, admission, and validation. */
import type { JsonObject } from '../json.ts';
import { textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { forbidden, required } from './causes.ts';
import { filled, hasObject, objectAt, objectsAt } from './reading.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' } as const;

export function nodeDefaults(node: KubeObject): KubeObject {
  const [spec, status] = [objectAt(node, 'spec'), objectAt(node, 'status')];
  const cidr = textAt(spec, 'podCIDR');
  return withFields(node, {
    spec: cidr === undefined ? spec : filled(spec, { podCIDRs: [cidr] }),
    status: hasObject(status, 'capacity')
      ? filled(status, { allocatable: objectAt(status, 'capacity') })
      : status,
  });
}

/** A new Node gets the not-ready taint. */
export function admitNode(node: KubeObject, old: KubeObject | undefined): KubeObject {
  const spec = objectAt(node, 'spec');
  const taints = objectsAt(spec, 'taints');
  if (old !== undefined || taints.some((taint) => isSame(taint))) return node;
  return withFields(node, { spec: { ...spec, taints: [...taints, notReady] } });
}

function isSame(taint: JsonObject): boolean {
  return taint['key'] === notReady.key && taint['effect'] === notReady.effect;
}

export function nodeCauses(node: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const taints = objectsAt(objectAt(node, 'spec'), 'taints').flatMap((taint, index) =>
    taint['effect'] === '' ? [required(`metadata.taints[${index}].effect`)] : [],
  );
  return [
    ...taints,
    ...(old === undefined ? [] : fixedCauses(objectAt(node, 'spec'), objectAt(old, 'spec'))),
  ];
}

function fixedCauses(spec: JsonObject, old: JsonObject): readonly Cause[] {
  const before = textAt(old, 'podCIDR') ?? '';
  if (before === '' || spec['podCIDR'] === before) return [];
  return [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')];
}
