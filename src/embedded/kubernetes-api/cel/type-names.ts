/** The CEL types of the parts of a schema: each object with known fields is a type. */
import type { Environment } from '@marcbachmann/cel-js';
import type { JsonSchema } from '../schema/structural-schema.ts';
import { celEnvironment } from './cel-rule.ts';

const identifier = /^[A-Za-z_]\w*$/;
const metaFields = { apiVersion: 'string', kind: 'string', metadata: 'dyn' } as const;
const plainTypes: Readonly<Record<string, string>> = { integer: 'int', number: 'double', boolean: 'bool' };

export class TypeNames {
  readonly #environment = celEnvironment({ isOpen: false });
  readonly #names = new Map<JsonSchema, string>();

  constructor(root: JsonSchema) {
    this.#nameOf(root, true);
  }

  /** The environment in which `self` has the type of this part. */
  environmentFor(schema: JsonSchema): Environment {
    const type = this.#names.get(schema) ?? 'dyn';
    return this.#environment.clone().registerVariable('self', type).registerVariable('oldSelf', type);
  }

  #nameOf(schema: JsonSchema, isWhole = false): string {
    const known = this.#names.get(schema);
    if (known !== undefined) return known;
    const name = this.#fresh(schema, isWhole || schema['x-kubernetes-embedded-resource'] === true);
    this.#names.set(schema, name);
    return name;
  }

  #fresh(schema: JsonSchema, isResource: boolean): string {
    if (
      schema['x-kubernetes-int-or-string'] === true ||
      schema['x-kubernetes-preserve-unknown-fields'] === true
    )
      return this.#withParts(schema, 'dyn');
    if (schema.type === 'array')
      return `list<${schema.items === undefined ? 'dyn' : this.#nameOf(schema.items)}>`;
    if (schema.type === 'object') return this.#objectName(schema, isResource);
    if (schema.type === 'string') return schema.format === undefined ? 'string' : 'dyn';
    return plainTypes[schema.type ?? ''] ?? 'dyn';
  }

  /** An untyped part may have parts with rules. */
  #withParts({ properties = {}, items }: JsonSchema, name: string): string {
    for (const inner of Object.values(properties)) this.#nameOf(inner);
    if (items !== undefined) this.#nameOf(items);
    return name;
  }

  #objectName(schema: JsonSchema, isResource: boolean): string {
    const { properties, additionalProperties } = schema;
    if (typeof additionalProperties === 'object') return `map<string, ${this.#nameOf(additionalProperties)}>`;
    if (properties === undefined || Object.keys(properties).some((key) => !identifier.test(key)))
      return this.#withParts(schema, 'dyn');
    const fields = Object.fromEntries(
      Object.entries(properties).map(([key, inner]) => [key, this.#nameOf(inner)]),
    );
    const name = `Part${this.#names.size}`;
    this.#environment.registerType(name, { fields: isResource ? { ...fields, ...metaFields } : fields });
    return name;
  }
}
