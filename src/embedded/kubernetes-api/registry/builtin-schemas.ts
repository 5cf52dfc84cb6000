/**
 * The fields of the built-in kinds, as a real server describes them. They stand in a generated file, which is read
 * when the first of them is asked for; a definition that many kinds share is one object in all of them.
 */
import { readFileSync } from 'node:fs';
import type { JsonObject } from '../json.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';

/** A schema that also says what a server with static types does with a field. */
export interface BuiltinSchema extends JsonSchema {
  readonly properties?: Readonly<Record<string, BuiltinSchema>>;
  readonly items?: BuiltinSchema;
  readonly additionalProperties?: boolean | BuiltinSchema;
  /** Zero, false or the empty text is a value here, not the lack of one. */
  readonly 'x-muster-keeps-zero'?: boolean;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** As it is written in the file: the name of a definition may stand for it. */
interface Written extends Omit<BuiltinSchema, 'properties' | 'items' | 'additionalProperties'> {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Written>>;
  readonly items?: Written;
  readonly additionalProperties?: Written;
}

interface SchemaFile {
  /** From apiVersion and kind to the name of a definition. */
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
    // The few things a field adds to a definition are the same again and again.
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

/** The definitions that a kind is made of, its own first, under their names and with references between them. */
export function builtinDefinitions(apiVersion: string, kind: string): ReadonlyMap<string, JsonObject> {
  return loaded().definitionsOf(apiVersion, kind);
}

export function builtinSchema(apiVersion: string, kind: string): BuiltinSchema {
  return loaded().of(apiVersion, kind);
}
