/** The table of a reference page that lists every field with its type, default and meaning. */
import type { SchemaField } from '../../src/api/crd/schema-fields.ts';
import type { StructuralSchema } from '../../src/api/crd/structural-keywords.ts';
import { markdownTable } from './markdown-table.ts';

export function fieldTable(fields: readonly SchemaField[]): string {
  return markdownTable(['Field', 'Type', 'Default', 'Required', 'Meaning'], fields.map(fieldRow));
}

function fieldRow({ path, schema, required }: SchemaField): readonly string[] {
  const shownDefault = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
  return [`\`${path}\``, typeText(schema), shownDefault, required ? 'yes' : '', schema.description ?? ''];
}

function typeText(schema: StructuralSchema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`;
  const limits = [
    ...rangeText(schema),
    ...textLimits(schema),
    ...(schema.nullable === true ? ['or null'] : []),
  ];
  return [baseType(schema), ...limits].join(', ');
}

function baseType(schema: StructuralSchema): string {
  if (schema.type !== 'array') return schema.format === 'date-time' ? 'date-time' : schema.type;
  const keys = schema['x-kubernetes-list-map-keys'];
  const keyed = keys === undefined ? '' : `, one per \`${keys.join('` and `')}\``;
  return `list of ${schema.items?.type ?? 'anything'}${keyed}`;
}

function rangeText({ minimum, maximum }: StructuralSchema): readonly string[] {
  if (minimum !== undefined && maximum !== undefined) return [`${minimum} to ${maximum}`];
  if (minimum !== undefined) return [`at least ${minimum}`];
  return maximum === undefined ? [] : [`at most ${maximum}`];
}

function textLimits({ minLength, maxLength, pattern }: StructuralSchema): readonly string[] {
  return [
    ...(minLength === undefined ? [] : [minLength === 1 ? 'not empty' : `at least ${minLength} characters`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(pattern === undefined ? [] : [`matching \`${pattern}\``]),
  ];
}
