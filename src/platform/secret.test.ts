import { format, inspect } from 'node:util';
import { expect, it } from 'vitest';
import { Secret } from './secret.ts';

const canary = 'canary-5d1f';
const secret = new Secret(canary);

it('reveals the text on request', () => {
  expect(secret.reveal()).toBe(canary);
});

it.for([
  ['a sentence', () => `with ${String(secret)}`],
  ['a concatenation', () => ['', secret].join('with ')],
  ['JSON', () => JSON.stringify({ deep: [{ secret }] })],
  ['an inspection of any depth', () => inspect({ secret }, { showHidden: true, depth: 9, getters: true })],
  ['a format', () => format('%s %o %O %j', secret, secret, secret, secret)],
  ['an error that has it as its cause', () => inspect(new Error('refused', { cause: secret }))],
  ['its own properties', () => JSON.stringify(Object.getOwnPropertyDescriptors(secret))],
  ['a copy', () => inspect(structuredClone(secret), { showHidden: true })],
] as const)('%s does not contain the text', ([, print]) => {
  expect(print()).not.toContain(canary);
});
