import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { descriptionFile, excerptOf } from './github-description.ts';

const kept = readFileSync(join(import.meta.dirname, '../..', descriptionFile), 'utf8');
const { operations } = z.object({ operations: z.record(z.string(), z.unknown()) }).parse(JSON.parse(kept));

/** A description in which all our operations have the same response. */
function described(schema: object, leftOut = ''): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of Object.keys(operations)) {
    const [method = '', path = ''] = operation.split(' ');
    const responses = { 200: { content: { 'application/json': { schema } } }, 204: { description: 'Done' } };
    if (operation !== leftOut) (paths[path] ??= {})[method.toLowerCase()] = { responses };
  }
  return { paths };
}

function excerpt(schema: object): unknown {
  const text = excerptOf(described(schema), '1.2.3');
  const parsed = z
    .object({ operations: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(JSON.parse(text));
  return parsed.operations['GET /installation/repositories'];
}

it('keeps the validating keywords in alphabetical order, and fields of any name', () => {
  const schema = {
    type: 'object',
    description: 'for people',
    properties: { title: { type: 'string', example: 'x' }, description: { type: 'string' } },
    'x-more': 1,
  };
  const properties = { description: { type: 'string' }, title: { type: 'string' } };
  expect(JSON.stringify(excerpt(schema))).toBe(
    JSON.stringify({ 200: { properties, type: 'object' }, 204: null }),
  );
});

it('converts nullable to JSON Schema', () => {
  expect(excerpt({ type: 'string', enum: ['a'], nullable: true })).toMatchObject({
    200: { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  });
  expect(excerpt({ type: 'string', nullable: false })).toMatchObject({ 200: { type: 'string' } });
});

it('fails for a request that GitHub does not describe', () => {
  const [first = ''] = Object.keys(operations);
  const leftOut = described({}, first);
  expect(() => excerptOf(leftOut, '1.2.3')).toThrow('GitHub does not describe');
});
