/**
 * Converts a zod schema to the schema of a CustomResourceDefinition. Keywords that the API server would reject or
 * ignore are rejected here, with the path of the field.
 */
import { z } from 'zod';

import { kubernetesKeywords } from './kubernetes-keywords.ts';
import { structuralKeywords } from './structural-keywords.ts';
import type { StructuralSchema } from './structural-keywords.ts';
import { brokenRules } from './structural-rules.ts';

/** Throws an error that names all invalid fields. */
export function structuralSchema(schema: z.ZodType): StructuralSchema {
  const defaultProblems = new Set<string>();
  const written = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    override: ({ zodSchema, jsonSchema, path }) => {
      if (jsonSchema.default !== undefined && !isSoundDefault(zodSchema, jsonSchema.default))
        defaultProblems.add(`${fieldPath(path)}: the default is not valid for its own schema`);
    },
  });
  const parsed = structuralKeywords.safeParse(kubernetesKeywords(written));
  if (!parsed.success)
    return refuse(parsed.error.issues.map((issue) => `${fieldPath(issue.path)}: ${issue.message}`));
  const problems = [...defaultProblems, ...brokenRules(parsed.data, '')];
  return problems.length > 0 ? refuse(problems) : parsed.data;
}

function refuse(problems: readonly string[]): never {
  throw new Error(`not a structural schema:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
}

/** The API server requires that a default survives pruning, so unknown keys make the default invalid. */
function isSoundDefault(schema: z.core.$ZodType, value: unknown): boolean {
  const parsed = z.safeParse(schema, value);
  return parsed.success && survives(value, parsed.data);
}

function survives(given: unknown, kept: unknown): boolean {
  if (typeof given !== 'object' || given === null) return true;
  if (typeof kept !== 'object' || kept === null) return false;
  const left = new Map(Object.entries(kept));
  return Object.entries(given).every(([key, value]) => left.has(key) && survives(value, left.get(key)));
}

/** `properties.spec.properties.tags.items.type` becomes `spec.tags[] type`. */
function fieldPath(path: readonly PropertyKey[]): string {
  let field = '';
  let rest = path.map(String);
  while (rest[0] === 'properties' || rest[0] === 'items') {
    const [keyword, name = ''] = rest;
    field += keyword === 'items' ? '[]' : `${field === '' ? '' : '.'}${name}`;
    rest = rest.slice(keyword === 'items' ? 1 : 2);
  }
  return [field === '' ? '(top)' : field, ...rest].join(' ');
}
