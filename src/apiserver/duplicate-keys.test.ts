import { expect, it } from 'vitest';
import { duplicateKeys } from './duplicate-keys.ts';

it.for([
  ['{}', []],
  ['{"a":1,"b":{"a":1}}', []],
  ['{"a":1,"a":2}', ['a']],
  ['{"spec":{"x":[{"y":1},{"y":1,"y":2}]}}', ['spec.x[1].y']],
  ['{"a":"a","b":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['{"a":1,"\\u0061":2}', ['a']],
  ['[{"a":1},{"a":1}]', []],
  ['{"a":{"b":1,"b":2},"a":3}', ['a.b', 'a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"a"', []],
] as const)('%s has %j', ([text, found]) => {
  expect(duplicateKeys(text)).toEqual(found);
});
