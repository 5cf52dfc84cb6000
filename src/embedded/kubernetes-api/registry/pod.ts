/** Pods: the part of the server. Kubelets and controllers run them. */
import type { JsonObject } from '../json.ts';
import { numberAt, textAt, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { podChangeCauses } from './pod-changes.ts';
import { podSpecCauses } from './pod-rules.ts';
import { qualityOf } from './pod-quality.ts';
import { nextBuiltin } from './next-state.ts';
import { filled, objectAt, objectsAt } from './reading.ts';
import type { Resource } from './resource.ts';

const defaultGraceSeconds = 30;
const finished = new Set(['Succeeded', 'Failed']);

export function podField(name: 'spec' | 'status', field: string): (pod: KubeObject) => string {
  return (pod) => textAt(objectAt(pod, name), field) ?? '';
}

/** A new Pod is Pending, independent of the sent status. */
export function newPod(pod: KubeObject): KubeObject {
  return withFields(pod, { status: { phase: 'Pending' } });
}

/** The QoS class is set once. */
export function withQuality(pod: KubeObject): KubeObject {
  return withFields(pod, {
    status: { ...objectAt(pod, 'status'), qosClass: qualityOf(objectAt(pod, 'spec')) },
  });
}

const next = nextBuiltin(true);

/** A status write cannot change the owners of a Pod. */
export const nextPod: Resource['next'] = (old, sent, through) => {
  const wanted = next(old, sent, through);
  if (through !== 'status') return wanted;
  const status = filled(objectAt(wanted, 'status'), pick(objectAt(old, 'status'), 'qosClass'));
  return withMeta(withFields(wanted, { status }), { ownerReferences: old.metadata['ownerReferences'] });
};

function pick(object: JsonObject, key: string): JsonObject {
  const value = object[key];
  return value === undefined ? {} : { [key]: value };
}

/** The first address also has a deprecated field. */
export function podStatusDefaults(pod: KubeObject): KubeObject {
  const status = objectAt(pod, 'status');
  const ip = textAt(status, 'podIP') ?? textAt(objectsAt(status, 'podIPs')[0] ?? {}, 'ip');
  if (ip === undefined) return pod;
  return withFields(pod, { status: filled({ ...status, podIP: ip }, { podIPs: [{ ip }] }) });
}

/** Only a Pod on a Node has a grace period. */
export function podGraceSeconds(pod: KubeObject, asked: number | undefined): number {
  const { spec, status } = { spec: objectAt(pod, 'spec'), status: objectAt(pod, 'status') };
  if ((textAt(spec, 'nodeName') ?? '') === '' || finished.has(textAt(status, 'phase') ?? '')) return 0;
  return Math.max(0, asked ?? numberAt(spec, 'terminationGracePeriodSeconds') ?? defaultGraceSeconds);
}

export function podCauses(pod: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  return old === undefined ? podSpecCauses(objectAt(pod, 'spec'), 'spec') : podChangeCauses(pod, old);
}
