import { describe, expect, it } from 'vitest';
import { builtinSchemasText, documentPath } from './builtin-schemas.ts';

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const kind = { group: 'apps', version: 'v1', kind: 'Deployment' };

function documents(properties: Record<string, unknown>) {
  const schemas = {
    'io.k8s.api.apps.v1.Deployment': {
      type: 'object',
      description: 'words',
      properties: JSON.parse(JSON.stringify(properties)),
      'x-kubernetes-group-version-kind': [kind],
    },
    'io.k8s.api.core.v1.Thing': { type: 'object', description: 'words', properties: {} },
    'io.k8s.apimachinery.pkg.apis.meta.v1.Time': { type: 'string', format: 'date-time' },
    'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  };
  return new Map([[documentPath(kind), { components: { schemas } }]]);
}

function fieldsOf(properties: Record<string, unknown>): unknown {
  const file: unknown = JSON.parse(builtinSchemasText([kind], documents(properties)));
  return file;
}

describe('the schemas of built-in kinds', () => {
  it('have every definition once, under a short name, without descriptions', () => {
    const one = { allOf: [ref('io.k8s.api.core.v1.Thing')], default: {}, description: 'words' };
    expect(fieldsOf({ b: one, a: one })).toEqual({
      kinds: { 'apps/v1 Deployment': 'apps.v1.Deployment' },
      definitions: {
        'apps.v1.Deployment': {
          type: 'object',
          properties: {
            a: { $ref: 'core.v1.Thing', default: {} },
            b: { $ref: 'core.v1.Thing', default: {} },
          },
        },
        'core.v1.Thing': { type: 'object', properties: {} },
      },
    });
  });

  it('inline types with a JSON form of their own', () => {
    const amount = ref('io.k8s.apimachinery.pkg.api.resource.Quantity');
    expect(fieldsOf({ limits: { type: 'object', additionalProperties: amount } })).toHaveProperty(
      ['definitions', 'apps.v1.Deployment', 'properties', 'limits', 'additionalProperties'],
      { type: 'string', format: 'quantity' },
    );
  });

  it('are the same text in any order of the definitions', () => {
    const [a, b] = [{ type: 'string' }, { type: 'integer', format: 'int32' }];
    expect(builtinSchemasText([kind], documents({ a, b }))).toBe(
      builtinSchemasText([kind], documents({ b, a })),
    );
  });

  it('fail when the server does not have a kind', () => {
    const other = { ...kind, kind: 'Other' };
    expect(() => builtinSchemasText([other], documents({}))).toThrow('does not describe apps/v1 Other');
  });
});
