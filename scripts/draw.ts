/**
 * Selects a few items by a text: the same text selects the same items, independent of their order and of other items.
 */
import { createHash } from 'node:crypto';

export function draw<T>(
  all: readonly T[],
  { count, by, idOf }: { readonly count: number; readonly by: string; readonly idOf: (each: T) => string },
): readonly T[] {
  const rank = (each: T): string =>
    createHash('sha256')
      .update(`${by}\0${idOf(each)}`)
      .digest('hex');
  const ranked = all.map((each) => ({ each, rank: rank(each) }));
  return ranked
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, count)
    .map(({ each }) => each);
}
