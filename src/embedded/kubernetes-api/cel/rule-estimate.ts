/**
 * A lower bound of the cost of a rule on the largest object of its schema. The real server rejects a definition whose
 * estimate exceeds the budget. Only loops are counted, so the embedded server rejects nothing that the real server
 * accepts.
 */
import { additionalOf, propertyOf, type JsonSchema } from '../schema/structural-schema.ts';
import { splitRule } from './rule-texts.ts';

/** The limits of the real server, in its units. */
export const ruleCostMax = 10_000_000;
export const schemaCostMax = 100_000_000;
const requestBytesMax = 3 * 1024 * 1024;

const range = String.raw`([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)\s*\.\s*`;
const macro = String.raw`(?:all|exists|exists_one|existsOne|map|filter)\s*\(\s*([A-Za-z_]\w*)\s*,`;
const tokens = new RegExp(`${range}${macro}|[()]`, 'g');
/** More nested loops than this exceed any budget. */
const openMax = 1000;

interface Open {
  readonly steps: number;
  readonly variable?: string;
  readonly item?: JsonSchema | undefined;
}

/** The maximum number of iterations of the innermost loop of a rule on this schema. */
export function leastCost(rule: string, schema: JsonSchema): number {
  const open: Open[] = [];
  let dearest = 1;
  for (const [token, path, variable] of codeOf(rule).matchAll(tokens)) {
    const around = open.at(-1)?.steps ?? 1;
    if (token === ')') open.pop();
    else if (path === undefined || variable === undefined) open.push({ steps: around });
    else {
      const list = partAt(path, schema, open);
      const steps = around * (list === undefined ? 1 : itemsMax(list));
      open.push({ steps, variable, item: list?.items });
      dearest = Math.max(dearest, steps);
    }
    if (open.length > openMax) break;
  }
  return dearest;
}

function codeOf(rule: string): string {
  return splitRule(rule)
    .map(({ isCode, text }) => (isCode ? text : '""'))
    .join('');
}

/** The schema of `self.a.b`, or of the same below the variable of a loop around it. */
function partAt(path: string, self: JsonSchema, open: readonly Open[]): JsonSchema | undefined {
  const [root = '', ...names] = path.split('.').map((name) => name.trim());
  const loop = open.findLast(({ variable }) => variable === root);
  const start = loop === undefined && root === 'self' ? self : loop?.item;
  return names.reduce<JsonSchema | undefined>(
    (schema, name) => (schema === undefined ? undefined : propertyOf(schema, name)),
    start,
  );
}

/** The maximum number of items or keys in a request; never zero, so that no factor cancels the others. */
export function itemsMax(schema: JsonSchema): number {
  if (schema.type === 'array') return schema.maxItems ?? fitting(leastBytes(schema.items));
  const values = additionalOf(schema);
  if (values === undefined) return 1;
  return schema.maxProperties ?? fitting(leastBytes(values) + '"":'.length);
}

function fitting(bytes: number): number {
  return Math.max(1, Math.floor((requestBytesMax - 2) / (bytes + 1)));
}

/** The length of the shortest JSON of a schema, at least that of the real server. */
function leastBytes(schema: JsonSchema | undefined): number {
  if (schema === undefined) return 1;
  const { type, properties = {}, required = [] } = schema;
  if (type === 'boolean') return 4;
  if (type === 'string') return 2;
  if (type === 'array') return 2;
  if (type !== 'object') return 1;
  const fields = required.map((name) => name.length + 5 + leastBytes(properties[name]));
  return fields.reduce((sum, bytes) => sum + bytes, 2);
}
