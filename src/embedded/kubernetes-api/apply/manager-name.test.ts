import { describe, expect, it } from 'vitest';
import { managerCauses, managerName } from './manager-name.ts';

describe('a write is made under', () => {
  it.for<[string, string | undefined, string | undefined, string]>([
    ['the name it gives', 'me', 'curl/8', 'me'],
    ['what its client calls itself, without the version', undefined, 'kubectl/v1.36 (linux)', 'kubectl'],
    ['a name without what cannot be shown', undefined, 'a\tb\u0000c/1', 'abc'],
    ['a name of at most 128 bytes', undefined, `${'x'.repeat(127)}éy/1`, 'x'.repeat(127)],
    ['no name that anybody has', '', undefined, 'unknown'],
  ])('%s', ([, fieldManager, userAgent, expected]) => {
    const query = fieldManager === undefined ? {} : { fieldManager };
    expect(managerName({ query, userAgent })).toBe(expected);
  });
});

describe('rejects', () => {
  it.for([
    ['a name that is too long', 'x'.repeat(129), 'FieldValueTooLong'],
    ['a name that cannot be shown', 'a\nb', 'FieldValueInvalid'],
  ])('%s', ([, fieldManager = '', reason]) => {
    expect(managerCauses({ query: { fieldManager } })).toEqual([
      expect.objectContaining({ field: 'fieldManager', reason }),
    ]);
  });
});
