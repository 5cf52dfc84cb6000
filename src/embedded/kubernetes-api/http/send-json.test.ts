import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { jsonPieces, sendJson } from './send-json.ts';

const megabyte = 1024 * 1024;
const longList: JsonObject = { kind: 'List', items: Array.from({ length: 4000 }, () => 'x'.repeat(1024)) };

it('the pieces together are what JSON.stringify gives', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const body: JsonObject = JSON.parse(JSON.stringify(value));
      expect([...jsonPieces(body)].join('')).toBe(JSON.stringify(body));
    }),
  );
});

it('a long list goes out in pieces, none of them long', () => {
  const lengths = [...jsonPieces(longList)].map((piece) => piece.length);
  expect(lengths.length).toBeGreaterThan(50);
  expect(Math.max(...lengths)).toBeLessThan(megabyte / 8);
});

it('a reader gets all of it, however little it takes at a time', async () => {
  const response = new PassThrough({ highWaterMark: 1000 });
  const [received] = await Promise.all([text(response), sendJson(response, longList)]);
  expect(received).toBe(JSON.stringify(longList));
});

it('no more is made than the reader has room for', async () => {
  const response = new PassThrough();
  const sending = sendJson(response, longList);
  expect(response.writableLength + response.readableLength).toBeLessThan(megabyte / 4);
  response.destroy();
  await sending;
});

it('a client that goes in the middle ends the sending', async () => {
  const response = new PassThrough();
  const sending = sendJson(response, longList);
  response.destroy();
  await sending;
  expect(response.writableEnded).toBe(false);
});
