/**
 * The JSONPath of printer columns: `.a.b`, `.a[0]`, `.a['b.c']`, `.a[?(@.type=="Ready")].status`, `.a[*].b`. A path
 * without a match gives nothing; an invalid path is rejected when it is compiled.
 */
import { isJsonList, isJsonObject, type Json } from '../json.ts';

type Step = (values: readonly Json[]) => readonly Json[];

const step =
  /^(?:\.([^.[\]]+)|\[(\d+)\]|\[\*\]|\['((?:[^'\\]|\\.)*)'\]|\[\?\(@\.([\w.-]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\)\])/;

/** Undefined for an invalid path. */
export function compileJsonPath(path: string): ((value: Json) => readonly Json[]) | undefined {
  const steps: Step[] = [];
  let rest = path.replace(/^\$/, '');
  while (rest !== '') {
    const match = step.exec(rest);
    if (match === null) return undefined;
    steps.push(stepOf(match));
    rest = rest.slice(match[0].length);
  }
  return (value) => steps.reduce<readonly Json[]>((values, next) => next(values), [value]);
}

function stepOf([, field, index, quoted, filtered, double, single]: RegExpExecArray): Step {
  const key = field ?? quoted?.replaceAll(/\\(.)/g, '$1');
  if (key !== undefined) return (values) => values.flatMap((value) => childOf(value, key));
  if (index !== undefined)
    return (values) => values.flatMap((value) => (isJsonList(value) ? (value[Number(index)] ?? []) : []));
  if (filtered === undefined) return (values) => values.flatMap((value) => (isJsonList(value) ? value : []));
  const wanted = double ?? single;
  return (values) =>
    values.flatMap((value) =>
      isJsonList(value) ? value.filter((item) => childAt(item, filtered) === wanted) : [],
    );
}

function childOf(value: Json, key: string): readonly Json[] {
  if (!isJsonObject(value) || !Object.hasOwn(value, key)) return [];
  const child = value[key];
  return child === undefined ? [] : [child];
}

function childAt(value: Json, dotted: string): Json | undefined {
  return dotted
    .split('.')
    .reduce<Json | undefined>((at, key) => (at === undefined ? undefined : childOf(at, key)[0]), value);
}
