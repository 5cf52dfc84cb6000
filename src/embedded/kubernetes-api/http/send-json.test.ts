import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { jsonPieces, sendJson } from './send-json.ts';

const megabyte = 1024 * 1024;
const longList: JsonObject = { kind: 'List', items: Array.from({ length: 4000 }, () => 'x'.repeat(1024)) };

it('the pieces together equal JSON.stringify', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const body: JsonObject = JSON.parse(JSON.stringify(value));
      expect([...jsonPieces(body)].join('')).toBe(JSON.stringify(body));
    }),
  );
});

it('splits a long list into short pieces', () => {
  const lengths = [...jsonPieces(longList)].map((piece) => piece.length);
  expect(lengths.length).toBeGreaterThan(50);
  expect(Math.max(...lengths)).toBeLessThan(megabyte / 8);
});

it('sends everything to a slow reader', async () => {
  const response = new PassThrough({ highWaterMark: 1000 });
  const [received] = await Promise.all([text(response), sendJson(response, longList)]);
  expect(received).toBe(JSON.stringify(longList));
});

it('produces no more than the reader accepts', async () => {
  const response = new PassThrough();
  const sending = sendJson(response, longList);
  expect(response.writableLength + response.readableLength).toBeLessThan(megabyte / 4);
  response.destroy();
  await sending;
});

it('stops when the client disconnects', async () => {
  const response = new PassThrough();
  const sending = sendJson(response, longList);
  response.destroy();
  await sending;
  expect(response.writableEnded).toBe(false);
});
