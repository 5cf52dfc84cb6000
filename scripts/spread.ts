/** Mixes lists so that each keeps its order and is spread evenly over the whole, or over the first part of it. */
export interface Spread<T> {
  readonly list: readonly T[];
  /** The share of the whole over which the list is spread, from its beginning; 1 unless given. */
  readonly share?: number;
}

export function spread<T>(lists: readonly Spread<T>[]): readonly T[] {
  const placed = lists.flatMap(({ list, share = 1 }) =>
    list.map((each, index) => ({ each, at: ((index + 0.5) / list.length) * share })),
  );
  return placed.toSorted((a, b) => a.at - b.at).map(({ each }) => each);
}
