/** Properties of all values, on the sample schemas, with frozen inputs. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze, isJsonObject, type Json } from '../json.ts';
import { checkSchema } from './check-schema.ts';
import { applyDefaults } from './default.ts';
import { prune } from './prune.ts';
import { acceptedSchemas } from '../../../../lab/contracts/kubernetes-api/schema/accepted-schemas.ts';
import { doubtfulSchemas, rootOf } from '../../../../lab/contracts/kubernetes-api/schema/doubtful-schemas.ts';
import { valuesOf } from '../../../../lab/contracts/kubernetes-api/schema/values.ts';
import { schemaOfKey, type Json as SchemaJson, type JsonSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

function frozenSchema(schema: JsonSchema): JsonSchema {
  const json: Json = JSON.parse(JSON.stringify(schema));
  deepFreeze(json);
  return isJsonObject(json) ? json : {};
}

function check(schema: JsonSchema, property: (value: Json) => void): void {
  fc.assert(fc.property(valuesOf(schema).map(deepFreeze), property), { numRuns: 300 });
}

/** Every path of a value that the schema knows. */
function knownPaths(schema: JsonSchema | undefined, value: Json, path = ''): readonly string[] {
  if (schema === undefined) return [];
  if (Array.isArray(value))
    return [path, ...value.flatMap((item, index) => knownPaths(schema.items, item, `${path}/${index}`))];
  if (!isJsonObject(value)) return [path];
  const inner = Object.entries(value).flatMap(([key, child]) =>
    knownPaths(schemaOfKey(schema, key), child, `${path}/${key}`),
  );
  return [path, ...inner];
}

describe.for(Object.entries(acceptedSchemas))('with the schema %s', ([, sample]) => {
  const schema = frozenSchema(sample);
  const completed = (value: Json): SchemaJson => applyDefaults(schema, prune(schema, value).value);

  it('pruning is idempotent', () => {
    check(schema, (value) => {
      const { value: once } = prune(schema, value);
      expect(prune(schema, once)).toEqual({ value: once, unknown: [] });
    });
  });

  it('applying defaults is idempotent', () => {
    check(schema, (value) => {
      const once = applyDefaults(schema, value);
      expect(applyDefaults(schema, once)).toEqual(once);
    });
  });

  it('pruning removes no known field', () => {
    check(schema, (value) => {
      expect(knownPaths(schema, prune(schema, value).value)).toEqual(knownPaths(schema, value));
    });
  });

  it('validation never throws, and an update tolerates at least as much', () => {
    fc.assert(
      fc.property(
        valuesOf(schema).map(deepFreeze),
        fc.json().map((text): Json => JSON.parse(text)),
        (value, other) => {
          expect(validate(schema, value, value).length).toBeLessThanOrEqual(validate(schema, value).length);
          expect(validate(schema, value, other).length).toBeLessThanOrEqual(validate(schema, value).length);
          expect(validate(schema, other, value)).toBeInstanceOf(Array);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('the result for an object stays the same after pruning and defaulting again', () => {
    check(schema, (value) => {
      const object = completed(value);
      expect(validate(schema, completed(object))).toEqual(validate(schema, object));
    });
  });

  it('does not pollute Object.prototype', () => {
    check(schema, (value) => {
      completed(value);
      expect(Object.keys(Object.prototype)).toEqual([]);
    });
  });
});

it('checking a schema never throws', () => {
  const mutilated = fc
    .tuple(
      fc.constantFrom(...doubtfulSchemas.map(rootOf)),
      fc.json(),
      fc.constantFrom(
        'properties',
        'items',
        'anyOf',
        'default',
        'pattern',
        'enum',
        'not',
        'additionalProperties',
        'type',
      ),
    )
    .map(([schema, text, keyword]): Json => ({
      ...(isJsonObject(schema) ? schema : {}),
      [keyword]: JSON.parse(text),
    }));
  fc.assert(
    fc.property(mutilated.map(deepFreeze), (schema) => {
      expect(checkSchema(schema)).toBeInstanceOf(Array);
    }),
    { numRuns: 1_000 },
  );
});
