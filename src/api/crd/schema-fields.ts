/** Every field of a schema as one flat list, in order, with the path a person would write. */
import type { StructuralSchema } from './structural-keywords.ts';

export interface SchemaField {
  /** Such as `status.conditions[].type`. */
  readonly path: string;
  /** It must be there when the object around it is. */
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
