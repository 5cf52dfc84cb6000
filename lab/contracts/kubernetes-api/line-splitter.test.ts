/** Chunks may begin and end anywhere, also inside a character. */
import { expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

const stream = Buffer.from('{"name":"Zürich 🍎"}\n\n{"b":2}\n{"c":');

it('gives the same lines however the stream is cut', () => {
  for (let size = 1; size <= stream.length; size += 1) {
    const splitter = new LineSplitter();
    const lines: string[] = [];
    for (let start = 0; start < stream.length; start += size) {
      lines.push(...splitter.push(stream.subarray(start, start + size)));
    }
    expect([lines, splitter.unfinished]).toEqual([['{"name":"Zürich 🍎"}', '{"b":2}'], '{"c":']);
  }
});
