/**
 * Rules that a schema can break even with allowed keywords only: a field without a description, a pattern that the
 * API server cannot compile, a keyed list with an optional key.
 */
import type { StructuralSchema } from './structural-keywords.ts';

/** One line per broken rule, starting with the path of the field. */
export function brokenRules(schema: StructuralSchema, path: string): readonly string[] {
  return [
    ...ownFaults(schema).map((fault) => `${path}: ${fault}`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      brokenFieldRules(field, path === '' ? name : `${path}.${name}`),
    ),
    ...(schema.items === undefined ? [] : brokenRules(schema.items, `${path}[]`)),
  ];
}

function brokenFieldRules(field: StructuralSchema, path: string): readonly string[] {
  const undescribed = field.description === undefined ? [`${path}: the description is missing`] : [];
  return [...undescribed, ...brokenRules(field, path)];
}

function ownFaults(schema: StructuralSchema): readonly string[] {
  const faults: string[] = [];
  if (schema.type === 'array' && schema.items === undefined) faults.push('an array without items');
  if (schema.pattern !== undefined && !isRe2(schema.pattern))
    faults.push(`the pattern needs look-around or back-references, which the API server does not have`);
  if (schema['x-kubernetes-list-type'] === 'map' && !hasUsableKeys(schema))
    faults.push('each key of a keyed list must be a required field of its items');
  return faults;
}

/** The API server compiles patterns with RE2. */
function isRe2(pattern: string): boolean {
  return !/\(\?<?[=!]|\\[1-9]|\\k</.test(pattern);
}

function hasUsableKeys(list: StructuralSchema): boolean {
  const keys = list['x-kubernetes-list-map-keys'] ?? [];
  const required = list.items?.required ?? [];
  return keys.length > 0 && keys.every((key) => required.includes(key));
}
