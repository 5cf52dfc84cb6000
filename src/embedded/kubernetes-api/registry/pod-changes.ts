/** The mutable fields of a Pod: images, an earlier deadline, longer tolerations, fewer scheduling gates. */
import { isJsonEqual, isJsonList, isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import { numberAt, textAt, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { forbidden, wrong } from './causes.ts';
import { podSpecCauses } from './pod-rules.ts';
import { objectAt, objectsAt } from './reading.ts';

export function podChangeCauses(pod: KubeObject, old: KubeObject): readonly Cause[] {
  const [spec, before] = [objectAt(pod, 'spec'), objectAt(old, 'spec')];
  const causes = [
    ...qualityCauses(objectAt(pod, 'status'), objectAt(old, 'status')),
    ...podSpecCauses(spec, 'spec').filter(({ field }) => field.endsWith('.image')),
    ...deadlineCauses(spec, before),
    ...tolerationCauses(spec, before),
    ...gateCauses(spec, before),
  ];
  if (causes.length > 0 || isJsonEqual(fixedPart(spec, before), fixedPart(before, before))) return causes;
  return [
    forbidden('spec', 'pod updates may not change fields other than images, deadlines and tolerations'),
  ];
}

function qualityCauses({ qosClass: now }: JsonObject, { qosClass: before }: JsonObject): readonly Cause[] {
  if (before === undefined || now === before) return [];
  return [wrong('status.qosClass', now, 'field is immutable')];
}

function deadlineCauses(spec: JsonObject, before: JsonObject): readonly Cause[] {
  const [now, then] = [numberAt(spec, 'activeDeadlineSeconds'), numberAt(before, 'activeDeadlineSeconds')];
  if (then === undefined || (now !== undefined && now <= then)) return [];
  return [wrong('spec.activeDeadlineSeconds', now, 'must be less than or equal to previous value')];
}

/** Only the duration of a toleration may change. */
function tolerationCauses(spec: JsonObject, before: JsonObject): readonly Cause[] {
  const kind = (toleration: JsonObject): JsonObject => without(toleration, 'tolerationSeconds');
  const now = objectsAt(spec, 'tolerations').map(kind);
  const lost = objectsAt(before, 'tolerations')
    .map(kind)
    .some((one) => !now.some((other) => isJsonEqual(one, other)));
  if (!lost) return [];
  return [
    forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'),
  ];
}

function gateCauses(spec: JsonObject, before: JsonObject): readonly Cause[] {
  const known = new Set(objectsAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) =>
    known.has(textAt(gate, 'name'))
      ? []
      : [forbidden(`spec.schedulingGates[${index}].name`, 'only deletion is allowed')],
  );
}

/** A gated Pod may restrict its node selection further. */
function fixedPart(spec: JsonObject, before: JsonObject): Json {
  const isGated = objectsAt(before, 'schedulingGates').length > 0;
  const selector = Object.entries(objectAt(spec, 'nodeSelector'));
  const kept = selector.filter(([key]) => key in objectAt(before, 'nodeSelector'));
  return {
    ...without(spec, 'activeDeadlineSeconds', 'tolerations', 'schedulingGates'),
    nodeSelector: Object.fromEntries(isGated ? kept : selector),
    containers: withoutImages(spec['containers']),
    initContainers: withoutImages(spec['initContainers']),
  };
}

function withoutImages(containers: Json | undefined): Json {
  return isJsonList(containers)
    ? containers.filter(isJsonObject).map((container) => without(container, 'image'))
    : [];
}
