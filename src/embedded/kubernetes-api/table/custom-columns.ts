/** The columns a definition declares for its kind; without any, name and age. */
import { z } from 'zod';
import type { Json } from '../json.ts';
import { ageColumn, nameColumn, type Column } from './columns.ts';
import { compileJsonPath } from './json-path.ts';

export const columnSchema = z.object({
  name: z.string(),
  type: z.enum(['string', 'integer', 'number', 'boolean', 'date']),
  jsonPath: z.string(),
  format: z.string().optional(),
  description: z.string().optional(),
  priority: z.int().optional(),
});

type Declared = z.infer<typeof columnSchema>;

export function customColumns(declared: readonly Declared[]): readonly Column[] {
  return declared.length === 0 ? [nameColumn, ageColumn] : [nameColumn, ...declared.map(columnOf)];
}

function columnOf({ name, type, jsonPath, format, description, priority }: Declared): Column {
  const path = compileJsonPath(jsonPath);
  return {
    name,
    type,
    isAge: type === 'date',
    ...(format !== undefined && { format }),
    ...(description !== undefined && { description }),
    priority: priority ?? 0,
    read: (object) => cellOf(path?.(object) ?? [], type),
  };
}

/** A value of another type than the column's is shown as empty. */
function cellOf(values: readonly Json[], type: Column['type']): Json {
  const [first] = values;
  if (first === undefined) return null;
  if (type === 'string')
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(',');
  const wanted = { integer: 'number', number: 'number', boolean: 'boolean', date: 'string' }[type];
  return typeof first === wanted ? first : null;
}
