/** Every field of a schema as a flat list, in order, with its readable path. */
import type { StructuralSchema } from './structural-keywords.ts';

export interface SchemaField {
  /** Such as `status.conditions[].type`. */
  readonly path: string;
  /** Required when the enclosing object exists. */
  readonly required: boolean;
  readonly schema: StructuralSchema;
}

export function schemaFields(schema: StructuralSchema, parent = ''): readonly SchemaField[] {
  const prefix = parent === '' ? '' : `${parent}.`;
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const required = schema.required?.includes(name) ?? false;
    const inside =
      field.type === 'array' ? schemaFields(field.items ?? field, `${path}[]`) : schemaFields(field, path);
    return [{ path, required, schema: field }, ...inside];
  });
}
