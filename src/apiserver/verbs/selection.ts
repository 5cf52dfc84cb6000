/** Which objects a list or a watch is about: a namespace or all, a name or all, labels, fields. */
import { labelsOf, namespaceOf, type KubeObject } from '../kube-object.ts';
import { parseFieldSelector } from '../selectors/field-selector.ts';
import { parseLabelSelector } from '../selectors/label-selector.ts';
import type { Call } from './call.ts';

export type Selects = (object: KubeObject) => boolean;

export function selectionOf(call: Call): Selects {
  const byLabel = parseLabelSelector(call.query['labelSelector'] ?? '');
  const byField = parseFieldSelector(call.query['fieldSelector'] ?? '', call.resource.selectable);
  return (object) =>
    (call.namespace === '' || namespaceOf(object) === call.namespace) &&
    (call.name === undefined || object.metadata.name === call.name) &&
    byLabel(labelsOf(object)) &&
    byField(object);
}

export function hasSelector(call: Call): boolean {
  return Boolean(call.query['labelSelector']) || Boolean(call.query['fieldSelector']);
}
