/** The selection of a list or a watch: namespace, name, labels, fields. */
import { labelsOf, namespaceOf, type KubeObject } from '../kube-object.ts';
import { fieldTerms, parseFieldSelector } from '../selectors/field-selector.ts';
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

/** Rejects unparsable selectors before the options; unknown fields are rejected afterwards. */
export function refuseUnreadableSelectors({ query }: Pick<Call, 'query'>): void {
  parseLabelSelector(query['labelSelector'] ?? '');
  fieldTerms(query['fieldSelector'] ?? '');
}

/** Whether at most one object can match. */
export function asksForOneName({ query }: Pick<Call, 'query'>): boolean {
  return fieldTerms(query['fieldSelector'] ?? '').some(
    ({ field, operator }) => field === 'metadata.name' && operator !== '!=',
  );
}

export function hasSelector(call: Call): boolean {
  return Boolean(call.query['labelSelector']) || Boolean(call.query['fieldSelector']);
}
