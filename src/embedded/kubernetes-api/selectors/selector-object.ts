/** Label selectors in objects: `matchLabels` and `matchExpressions`, all of which must hold. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** An empty selector matches everything. */
export function matchesLabelSelector(selector: JsonObject, labels: JsonObject): boolean {
  const { matchLabels, matchExpressions } = selector;
  const equal = Object.entries(isJsonObject(matchLabels) ? matchLabels : {});
  const expressions = (Array.isArray(matchExpressions) ? matchExpressions : []).filter(isJsonObject);
  return (
    equal.every(([key, value]) => valueOf(labels, key) === value) &&
    expressions.every((expression) => holds(expression, labels))
  );
}

type Test = (value: Json | undefined, values: readonly Json[]) => boolean;

const operators: ReadonlyMap<Json | undefined, Test> = new Map<Json, Test>([
  ['In', (value, values) => value !== undefined && values.includes(value)],
  ['NotIn', (value, values) => value === undefined || !values.includes(value)],
  ['Exists', (value) => value !== undefined],
  ['DoesNotExist', (value) => value === undefined],
]);

/** An unknown operator matches nothing. */
function holds({ key, operator, values }: JsonObject, labels: JsonObject): boolean {
  const value = typeof key === 'string' ? valueOf(labels, key) : undefined;
  return operators.get(operator)?.(value, Array.isArray(values) ? values : []) ?? false;
}

/** Own keys only: `constructor` is not a label of every object. */
function valueOf(labels: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
