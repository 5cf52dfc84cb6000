/** Pods and Nodes: what the server itself does for them. Running them is the business of kubelets and controllers. */
import { isJsonEqual, isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';

const defaultGraceSeconds = 30;
const finished = new Set(['Succeeded', 'Failed']);
/** The only parts of its specification that a Pod may change while it lives. */
const changeable = ['activeDeadlineSeconds', 'tolerations', 'terminationGracePeriodSeconds'];

function part(pod: KubeObject, name: 'spec' | 'status'): JsonObject {
  const value = pod[name];
  return isJsonObject(value) ? value : {};
}

export function podField(name: 'spec' | 'status', field: string): (pod: KubeObject) => string {
  return (pod) => textAt(part(pod, name), field) ?? '';
}

/** A new Pod waits, whatever its maker says of it. */
export function newPod(pod: KubeObject): KubeObject {
  const spec = { terminationGracePeriodSeconds: defaultGraceSeconds, ...part(pod, 'spec') };
  return withFields(pod, { spec, status: { phase: 'Pending' } });
}

/** Only a Pod that a kubelet may be running has anything to wait for. */
export function podGraceSeconds(pod: KubeObject, asked: number | undefined): number {
  const { spec, status } = { spec: part(pod, 'spec'), status: part(pod, 'status') };
  if ((textAt(spec, 'nodeName') ?? '') === '' || finished.has(textAt(status, 'phase') ?? '')) return 0;
  return Math.max(0, asked ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? defaultGraceSeconds);
}

export function podCauses(pod: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  if (old === undefined) {
    const containers = part(pod, 'spec')['containers'];
    if (Array.isArray(containers) && containers.length > 0) return [];
    return [{ field: 'spec.containers', reason: 'FieldValueRequired', message: 'Required value' }];
  }
  if (isJsonEqual(fixedPart(pod), fixedPart(old))) return [];
  return [
    {
      field: 'spec',
      reason: 'FieldValueForbidden',
      message: 'Forbidden: pod updates may not change fields other than images, deadlines and tolerations',
    },
  ];
}

function fixedPart(pod: KubeObject): Json {
  const spec = without(part(pod, 'spec'), ...changeable);
  return {
    ...spec,
    containers: withoutImages(spec['containers']),
    initContainers: withoutImages(spec['initContainers']),
  };
}

function withoutImages(containers: Json | undefined): Json {
  return Array.isArray(containers)
    ? containers.filter(isJsonObject).map((container) => without(container, 'image'))
    : [];
}
