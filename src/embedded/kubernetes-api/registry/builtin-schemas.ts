/**
 * The schemas of the built-in kinds of a real server, from a generated file that is read on first use. Kinds share
 * common definitions as one object.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../json.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';

/** A schema with the behavior of statically typed fields. */
export interface BuiltinSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, BuiltinSchema>>;
  readonly items?: BuiltinSchema;
  readonly additionalProperties?: boolean | BuiltinSchema;
  /** Zero, false and the empty string are values here, not unset. */
  readonly 'x-muster-keeps-zero'?: boolean;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** The file format: a definition may be a name. */
interface Written extends Omit<BuiltinSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Written>>;
  readonly items?: Written;
  readonly additionalProperties?: Written;
}

interface SchemaFile {
  /** The definition name of each apiVersion and kind. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, Written>>;
}

const file = new URL('./generated/builtin-schemas.json', import.meta.url);

class Schemas {
  readonly #file: SchemaFile;
  readonly #resolved = new Map<string, BuiltinSchema>();

  constructor(text: string) {
    const parsed: SchemaFile = JSON.parse(text);
    this.#file = parsed;
  }

  of(apiVersion: string, kind: string): BuiltinSchema {
    return this.#resolve({ $ref: this.#nameOf(apiVersion, kind) });
  }

  #nameOf(apiVersion: string, kind: string): string {
    const name = this.#file.kinds[`${apiVersion} ${kind}`];
    if (name === undefined)
      throw new Error(`no schema of ${apiVersion} ${kind}; run: npm run generate:builtins`);
    return name;
  }

  #resolve(written: Written): BuiltinSchema {
    if (written.$ref === undefined) return this.#inside(written);
    // Cached, because most additions of fields to definitions repeat.
    const key = JSON.stringify(written);
    const before = this.#resolved.get(key);
    if (before !== undefined) return before;
    const { $ref, ...more } = written;
    const target = this.#file.definitions[$ref];
    if (target === undefined) throw new Error(`no definition of ${$ref}; run: npm run generate:builtins`);
    const schema = { ...this.#inside(target), ...this.#inside(more) };
    this.#resolved.set(key, schema);
    return schema;
  }

  #inside({ properties, items, additionalProperties, ...rest }: Written): BuiltinSchema {
    return {
      ...rest,
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, one]) => [name, this.#resolve(one)]),
        ),
      }),
      ...(items !== undefined && { items: this.#resolve(items) }),
      ...(additionalProperties !== undefined && {
        additionalProperties: this.#resolve(additionalProperties),
      }),
    };
  }

  definitionsOf(apiVersion: string, kind: string): ReadonlyMap<string, JsonObject> {
    const found = new Map<string, JsonObject>();
    const take = (name: string): void => {
      const text = JSON.stringify(this.#file.definitions[name] ?? {});
      if (found.has(name)) return;
      const definition: JsonObject = JSON.parse(text);
      found.set(name, definition);
      for (const [, next = ''] of text.matchAll(/"\$ref":"([^"]+)"/g)) take(next);
    };
    take(this.#nameOf(apiVersion, kind));
    return found;
  }
}

let schemas: Schemas | undefined;

function loaded(): Schemas {
  schemas ??= new Schemas(readFileSync(file, 'utf8'));
  return schemas;
}

/** The definitions of a kind by name, its own first, with references between them. */
export function builtinDefinitions(apiVersion: string, kind: string): ReadonlyMap<string, JsonObject> {
  return loaded().definitionsOf(apiVersion, kind);
}

export function builtinSchema(apiVersion: string, kind: string): BuiltinSchema {
  return loaded().of(apiVersion, kind);
}
