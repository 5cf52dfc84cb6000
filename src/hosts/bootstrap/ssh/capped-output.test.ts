/** What is kept of an output that is larger than allowed, however it is cut into pieces. */
import { expect, it } from 'vitest';
import { CappedOutput } from './capped-output.ts';

function outputOf(text: string, { bytesMax, pieceBytes }: { bytesMax: number; pieceBytes: number }) {
  const output = new CappedOutput(bytesMax);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) output.add(bytes.subarray(at, at + pieceBytes));
  return output;
}

it.each([1, 2, 3, 5, 7, 26, 100])('keeps both ends, in pieces of %i bytes', (pieceBytes) => {
  const output = outputOf('abcdefghijklmnopqrstuvwxyz', { bytesMax: 7, pieceBytes });
  expect([output.text(), output.droppedBytes]).toEqual(['abc\n[19 bytes dropped]\nwxyz', 19]);
});

it.each([1, 4, 100])('keeps all that fits, in pieces of %i bytes', (pieceBytes) => {
  const output = outputOf('abcdefg', { bytesMax: 7, pieceBytes });
  expect([output.text(), output.droppedBytes]).toEqual(['abcdefg', 0]);
});

it('gives whole lines, and none that lost its beginning', () => {
  const text = `${'-'.repeat(50)}cut secret\nthree\nfour\n`;
  expect(outputOf(text, { bytesMax: 40, pieceBytes: 9 }).lastLines(5)).toBe('three\nfour');
  expect(outputOf('one\ntwo\nthree\n', { bytesMax: 40, pieceBytes: 9 }).lastLines(2)).toBe('two\nthree');
  expect(outputOf('-'.repeat(50), { bytesMax: 40, pieceBytes: 9 }).lastLines(5)).toBe('');
});
