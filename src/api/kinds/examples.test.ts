/** Checks the example files of the documentation against their schemas. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { conditionTypes } from '../conditions/conditions.ts';
import type { ConditionType } from '../conditions/conditions.ts';
import { fieldsSchema } from '../crd/crd.ts';
import type { Kind } from './kind.ts';
import { kinds } from './kinds.ts';
import { HostId } from '../names/ids.ts';
import { reasons } from '../conditions/reasons.ts';
import { schemaFields } from '../crd/schema-fields.ts';

const folder = join(import.meta.dirname, '../../../docs/examples');
const header = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
type Example = z.infer<typeof header>;

const yamlFiles = (path: string) =>
  readdirSync(path)
    .filter((name) => name.endsWith('.yaml'))
    .toSorted();
const textOf = (path: string) => readFileSync(path, 'utf8');
const objectsIn = (text: string) => parseAllDocuments(text).map((document) => header.parse(document.toJS()));

function kindOf(object: Example): Kind {
  const found = kinds.find(
    ({ group, version, kind }) => object.kind === kind && object.apiVersion === `${group}/${version}`,
  );
  if (found === undefined) throw new Error(`no kind for ${object.apiVersion} ${object.kind}`);
  return found;
}

/** Paths of everything in a value, written as `schemaFields` writes them. */
function pathsIn(value: unknown, path: string): readonly string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((item) => pathsIn(item, `${path}[]`))];
  if (typeof value !== 'object' || value === null) return [path];
  const prefix = path === '' ? '' : `${path}.`;
  return [path, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, `${prefix}${key}`))];
}

const valid = yamlFiles(folder).flatMap((file) =>
  objectsIn(textOf(join(folder, file))).map((object) => ({
    title: `${file} ${object.kind} ${object.metadata.name}`,
    object,
  })),
);

describe('valid examples', () => {
  it.each(valid)('$title is accepted and has no field the schema does not know', ({ object }) => {
    expect(kindOf(object).schema.parse(object)).toMatchObject(object);
  });

  it.each(valid)('$title is in the same namespace as the others', ({ object }) => {
    const place = kindOf(object).scope === 'Namespaced' ? 'default' : undefined;
    expect(object.metadata.namespace).toBe(place);
  });

  it.each(kinds.map((kind) => ({ kind, name: kind.kind })))('touch every field of $name', ({ kind }) => {
    const touched = new Set(
      valid.filter(({ object }) => object.kind === kind.kind).flatMap(({ object }) => pathsIn(object, '')),
    );
    const paths = schemaFields(fieldsSchema(kind)).map(({ path }) => path);
    expect(paths.filter((path) => !touched.has(path))).toEqual([]);
  });

  it.each(valid.filter(({ object }) => object.kind === 'MacHost'))(
    '$title is named after a server',
    ({ object }) => {
      expect(HostId.safeParse(object.metadata.name).success).toBe(true);
    },
  );

  it.each(valid)('$title uses only conditions and reasons of the closed lists', ({ object }) => {
    const status = z.looseObject({
      reason: z.enum(Object.keys(reasons)).optional(),
      conditions: z.array(z.object({ type: z.string(), reason: z.string().optional() })).default([]),
    });
    const { conditions } = status.parse(object['status'] ?? {});
    const known: Readonly<Record<string, Readonly<Record<string, ConditionType>>>> = conditionTypes;
    const allowed = (type: string): readonly (string | undefined)[] =>
      known[object.kind]?.[type]?.reasons ?? [];
    expect(conditions.filter(({ type, reason }) => !allowed(type).includes(reason))).toEqual([]);
  });
});

const invalid = yamlFiles(join(folder, 'invalid')).map((file) => {
  const text = textOf(join(folder, 'invalid', file));
  const [, path = ''] = /^# refused: (\S+)\n# \S.*\n/.exec(text) ?? [];
  const [object, ...more] = objectsIn(text);
  if (path === '' || object === undefined || more.length > 0)
    throw new Error(`${file}: wants two comment lines and one object`);
  const field = schemaFields(fieldsSchema(kindOf(object))).find(
    (each) => each.path === path.replaceAll(/\[\d+\]/g, '[]'),
  );
  return { file, path, object, field };
});
const unknownFields = invalid.filter(({ field }) => field === undefined);
const keyedLists = invalid.filter(({ field }) => field?.schema['x-kubernetes-list-type'] === 'map');
const refusedByZod = invalid.filter((each) => !unknownFields.includes(each) && !keyedLists.includes(each));

const issuePath = (path: readonly PropertyKey[]) =>
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .slice(1);

describe('invalid examples', () => {
  it('cover each kind of mistake', () => {
    expect([invalid.length >= 12, unknownFields.length > 0, keyedLists.length > 0]).toEqual([
      true,
      true,
      true,
    ]);
  });

  it.each(refusedByZod)('$file is rejected at $path and nowhere else', ({ object, path }) => {
    const { error } = kindOf(object).schema.safeParse(object);
    expect(error?.issues.map((issue) => issuePath(issue.path))).toEqual([path]);
  });

  it.each(unknownFields)('$file has the field $path, and is valid without it', ({ object, path }) => {
    const { data } = kindOf(object).schema.safeParse(object);
    expect([pathsIn(object, '').includes(path), pathsIn(data, '').includes(path)]).toEqual([true, false]);
  });

  it.each(keyedLists)('$file has one condition type twice', ({ object }) => {
    const status = z.object({ conditions: z.array(z.object({ type: z.string() })) });
    const types = status.parse(object['status']).conditions.map(({ type }) => type);
    expect(new Set(types).size).toBeLessThan(types.length);
  });
});
