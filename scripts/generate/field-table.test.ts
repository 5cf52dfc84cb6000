import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { schemaFields } from '../../src/api/crd/schema-fields.ts';
import { structuralSchema } from '../../src/api/crd/structural-schema.ts';
import { fieldTable } from './field-table.ts';

const keyedList = z
  .array(z.object({ type: z.string().min(2).describe('Key.') }))
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] });

const schema = z.object({
  share: z.int32().min(1).max(100).default(5).describe('Share.'),
  count: z.int().min(0).optional().describe('Count.'),
  most: z.number().max(9).optional().describe('Most.'),
  os: z.enum(['darwin', 'linux']).default('darwin').describe('OS.'),
  at: z.iso.datetime().optional().describe('At.'),
  name: z
    .string()
    .min(1)
    .max(63)
    .regex(/^(a|b)$/)
    .describe('Name.'),
  reason: z.string().nullable().optional().describe('Reason.'),
  words: z.array(z.string()).optional().describe('Words.'),
  list: keyedList.describe('List.'),
});

describe('field table', () => {
  it('shows type, limits, default and whether a field is required', () => {
    expect(fieldTable(schemaFields(structuralSchema(schema))).split('\n')).toEqual([
      '| Field | Type | Default | Required | Meaning |',
      '| --- | --- | --- | --- | --- |',
      '| `share` | integer, 1 to 100 | `5` |  | Share. |',
      '| `count` | integer, at least 0 |  |  | Count. |',
      '| `most` | number, at most 9 |  |  | Most. |',
      '| `os` | one of `darwin`, `linux` | `"darwin"` |  | OS. |',
      '| `at` | date-time |  |  | At. |',
      String.raw`| ${'`name`'} | string, not empty, at most 63 characters, matching ${'`^(a\\|b)$`'} |  | yes | Name. |`,
      '| `reason` | string, or null |  |  | Reason. |',
      '| `words` | list of string |  |  | Words. |',
      '| `list` | list of object, one per `type` |  | yes | List. |',
      '| `list[].type` | string, at least 2 characters |  | yes | Key. |',
    ]);
  });
});
