import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { KubeObject } from '../client/kube-object.ts';
import { Cache } from './cache.ts';

const mebibyte = 1024 * 1024;

function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

interface Marked extends KubeObject {
  readonly mark: string;
}

function marked(name: string, mark: string): Marked {
  return { metadata: { name, uid: name, resourceVersion: '1' }, mark };
}

it('drops an index value that no object has any more', () => {
  const cache = new Cache<Marked>({ mark: ({ mark }) => [mark] });
  const before = heapBytes();
  for (let number = 0; number < 500; number += 1) {
    const mark = Buffer.alloc(mebibyte / 8, `${number} `).toString();
    cache.put(marked('a', mark));
    expect(cache.find('mark', mark)).toHaveLength(1);
  }
  cache.remove('a');
  expect(heapBytes() - before).toBeLessThan(10 * mebibyte);
});
