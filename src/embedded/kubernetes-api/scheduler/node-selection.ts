/** Node selectors and node affinity of a Pod. */
import { isJsonList, isJsonObject, type JsonObject } from '../json.ts';
import { labelsOf, textAt, type KubeObject } from '../kube-object.ts';
import { objectAt, objectsAt, textsAt } from '../registry/reading.ts';

export function isSelected(pod: KubeObject, node: KubeObject): boolean {
  const spec = objectAt(pod, 'spec');
  const labels = labelsOf(node);
  const wanted = Object.entries(objectAt(spec, 'nodeSelector'));
  const required = objectAt(nodeAffinity(pod), 'requiredDuringSchedulingIgnoredDuringExecution');
  const terms = required['nodeSelectorTerms'];
  return (
    wanted.every(([key, value]) => valueOf(labels, key) === value) &&
    // The terms are alternatives.
    (!isJsonList(terms) || terms.filter(isJsonObject).some((term) => isTermMet(term, node)))
  );
}

/** The sum of the weights of all matching preferences. */
export function preference(pod: KubeObject, node: KubeObject): number {
  return objectsAt(nodeAffinity(pod), 'preferredDuringSchedulingIgnoredDuringExecution')
    .filter((preferred) => isTermMet(objectAt(preferred, 'preference'), node))
    .reduce((total, preferred) => total + Number(preferred['weight'] ?? 0), 0);
}

function nodeAffinity(pod: KubeObject): JsonObject {
  return objectAt(objectAt(objectAt(pod, 'spec'), 'affinity'), 'nodeAffinity');
}

/** An empty term matches no Node. */
function isTermMet(term: JsonObject, node: KubeObject): boolean {
  const labels = objectsAt(term, 'matchExpressions');
  const fields = objectsAt(term, 'matchFields');
  return (
    labels.length + fields.length > 0 &&
    labels.every((one) => isMet(one, valueOf(labelsOf(node), textAt(one, 'key') ?? ''))) &&
    fields.every((one) => isMet(one, one['key'] === 'metadata.name' ? node.metadata.name : undefined))
  );
}

type Test = (value: string | undefined, values: readonly string[]) => boolean;

const operators: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['In', (value, values) => value !== undefined && values.includes(value)],
  ['NotIn', (value, values) => value === undefined || !values.includes(value)],
  ['Exists', (value) => value !== undefined],
  ['DoesNotExist', (value) => value === undefined],
  ['Gt', (value, [than]) => Number(value) > Number(than)],
  ['Lt', (value, [than]) => Number(value) < Number(than)],
]);

function isMet(expression: JsonObject, value: string | undefined): boolean {
  const test = operators.get(textAt(expression, 'operator') ?? '');
  return test?.(value, textsAt(expression, 'values')) ?? false;
}

function valueOf(labels: JsonObject, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? textAt(labels, key) : undefined;
}
