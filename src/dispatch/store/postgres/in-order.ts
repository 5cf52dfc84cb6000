/** Rows are locked in the order of their keys, so that two who want the same ones take turns instead of waiting for each other. */
export function inOrder<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return items.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === b) return 0;
    return a < b ? -1 : 1;
  });
}
