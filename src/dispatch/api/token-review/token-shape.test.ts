import { expect, it } from 'vitest';
import { couldBeFor } from './token-shape.ts';

function token(claims: unknown): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
}

it.for([
  ['for us alone', token({ aud: 'ours' }), true],
  ['for us among others', token({ aud: ['other', 'ours'] }), true],
  ['for others', token({ aud: ['other'] }), false],
  ['without an audience', token({}), false],
  ['without parts', 'junk', false],
  ['of two parts', 'e30.e30', false],
  ['of four parts', `${token({ aud: 'ours' })}.c2ln`, false],
  ['whose middle is no JSON', 'e30.bm8.c2ln', false],
  ['whose middle is no object', token('ours'), false],
  ['whose audience is a number', token({ aud: 5 }), false],
] as const)('a token %s', ([, text, isWorthIt]) => {
  expect(couldBeFor(text, 'ours')).toBe(isWorthIt);
});
