import { describe, expect, it } from 'vitest';
import type { BuiltinSchema } from './builtin-schemas.ts';
import { typedForm } from './typed-form.ts';
import { WrongType } from './typed-scalar.ts';

const text = { type: 'string' } as const;
const schema: BuiltinSchema = {
  type: 'object',
  required: ['must'],
  properties: {
    name: text,
    always: { ...text, default: '' },
    pointer: { type: 'integer', format: 'int32', 'x-muster-keeps-zero': true },
    count: { type: 'integer', format: 'int32' },
    must: { type: 'array', items: text },
    may: { type: 'array', items: { type: 'object', properties: { a: text }, default: {} } },
    map: { type: 'object', additionalProperties: text },
    part: { type: 'object', properties: { deep: { ...text, default: 'x' } } },
    since: { type: 'string', format: 'date-time', default: null },
    port: { 'x-kubernetes-int-or-string': true },
    open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    bytes: { type: 'string', format: 'byte' },
  },
};
const empty = { always: '', must: null, since: null };

describe('an object of static types', () => {
  it('shows only the mandatory fields when nothing is set', () => {
    expect(typedForm(schema, {}).value).toEqual(empty);
  });

  it('omits empty values', () => {
    const said = {
      name: '',
      count: 0,
      pointer: 0,
      map: {},
      may: [],
      part: {},
      port: 0,
      always: null,
      open: {},
    };
    expect(typedForm(schema, said).value).toEqual({
      ...empty,
      pointer: 0,
      part: { deep: 'x' },
      port: 0,
      open: {},
    });
  });

  it('drops unknown fields, and reports their paths', () => {
    const said = {
      odd: 1,
      may: [{ a: 'x', b: 1 }, null],
      part: { deep: 'y', deeper: {} },
      open: { any: [1] },
    };
    expect(typedForm(schema, said)).toEqual({
      value: { ...empty, may: [{ a: 'x' }, {}], part: { deep: 'y' }, open: { any: [1] } },
      unknown: ['may[0].b', 'odd', 'part.deeper'],
    });
  });

  it('does not change metadata', () => {
    const metadata = { name: 'a', odd: null };
    expect(typedForm(schema, { metadata }).value).toEqual({ ...empty, metadata });
  });

  it.for([
    [{ name: 1 }, '.name'],
    [{ count: 2 ** 31 }, '.count'],
    [{ count: 1.5 }, '.count'],
    [{ must: 'x' }, '.must'],
    [{ must: ['x', 1] }, '.must[1]'],
    [{ map: { a: {} } }, '.map.a'],
    [{ part: [] }, '.part'],
    [{ since: 'soon' }, '.since'],
    [{ port: true }, '.port'],
    [{ bytes: '*' }, '.bytes'],
  ] as const)('rejects %j', ([said, where]) => {
    expect(() => typedForm(schema, said)).toThrow(WrongType);
    expect(() => typedForm(schema, said)).toThrow(`${where}: `);
  });
});
