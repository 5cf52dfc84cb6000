/** Merges lists so that each keeps its order and is spread evenly over the result, or over its first part. */
export interface Spread<T> {
  readonly list: readonly T[];
  /** The part of the result, from its start, over which the list is spread; default 1. */
  readonly share?: number;
}

export function spread<T>(lists: readonly Spread<T>[]): readonly T[] {
  const placed = lists.flatMap(({ list, share = 1 }) =>
    list.map((each, index) => ({ each, at: ((index + 0.5) / list.length) * share })),
  );
  return placed.toSorted((a, b) => a.at - b.at).map(({ each }) => each);
}
