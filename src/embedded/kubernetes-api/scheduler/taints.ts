/** Taints of Nodes and tolerations of Pods. */
import type { JsonObject } from '../json.ts';
import { textAt, type KubeObject } from '../kube-object.ts';
import { objectAt, objectsAt } from '../registry/reading.ts';

const keepsOut = new Set(['NoSchedule', 'NoExecute']);
const unschedulable: JsonObject = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** A taint without a toleration; undefined when all are tolerated. */
export function untolerated(pod: KubeObject, node: KubeObject): JsonObject | undefined {
  return taintsOf(node).find(
    (taint) => keepsOut.has(textAt(taint, 'effect') ?? '') && !isTolerated(pod, taint),
  );
}

/** The number of untolerated PreferNoSchedule taints. */
export function reluctance(pod: KubeObject, node: KubeObject): number {
  return taintsOf(node).filter((taint) => taint['effect'] === 'PreferNoSchedule' && !isTolerated(pod, taint))
    .length;
}

/** A cordoned Node counts as tainted. */
function taintsOf(node: KubeObject): readonly JsonObject[] {
  const spec = objectAt(node, 'spec');
  return [...objectsAt(spec, 'taints'), ...(spec['unschedulable'] === true ? [unschedulable] : [])];
}

function isTolerated(pod: KubeObject, taint: JsonObject): boolean {
  return objectsAt(objectAt(pod, 'spec'), 'tolerations').some((toleration) => tolerates(toleration, taint));
}

/** A toleration without a key matches all keys, without an effect all effects. */
function tolerates(toleration: JsonObject, taint: JsonObject): boolean {
  const [effect, key] = [textAt(toleration, 'effect') ?? '', textAt(toleration, 'key') ?? ''];
  if (effect !== '' && effect !== taint['effect']) return false;
  const isExists = toleration['operator'] === 'Exists';
  if (key === '') return isExists;
  const sameValue = (textAt(toleration, 'value') ?? '') === (textAt(taint, 'value') ?? '');
  return key === taint['key'] && (isExists || sameValue);
}
