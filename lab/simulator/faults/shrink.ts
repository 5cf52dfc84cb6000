/**
 * Finds a smallest plan that still fails the same way: leaves out larger and larger pieces, and runs each remainder.
 * The result fails only with all of its faults.
 */
export interface Shrunk<T> {
  readonly items: readonly T[];
  readonly probes: number;
}

export interface ShrinkOptions<T> {
  readonly items: readonly T[];
  readonly breaks: (items: readonly T[]) => Promise<boolean>;
  /** The number of tries after which the present plan is good enough. */
  readonly probesMax: number;
}

export async function shrink<T>({ items, breaks, probesMax }: ShrinkOptions<T>): Promise<Shrunk<T>> {
  const tries = { made: 0 };
  const stillBreaks = async (some: readonly T[]): Promise<boolean> => {
    tries.made += 1;
    return breaks(some);
  };
  if (items.length > 0 && (await stillBreaks([]))) return { items: [], probes: tries.made };
  let kept = await lastFew(items, stillBreaks);
  let pieces = 2;
  while (kept.length > 1 && tries.made < probesMax) {
    const less = await withoutAPiece(kept, pieces, stillBreaks);
    if (less === undefined && pieces >= kept.length) break;
    pieces = less === undefined ? pieces * 2 : pieces - 1;
    kept = less ?? kept;
    pieces = Math.min(Math.max(2, pieces), kept.length);
  }
  return { items: kept, probes: tries.made };
}

/** A failure mostly comes from the last faults: try the last few, twice as many each time. */
async function lastFew<T>(
  items: readonly T[],
  stillBreaks: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  for (let count = 1; count < items.length / 2; count *= 2)
    if (await stillBreaks(items.slice(-count))) return items.slice(-count);
  return items;
}

/**
 * Returns the list without one of its pieces, if the run still fails; tries each piece alone first, which saves the
 * most.
 */
async function withoutAPiece<T>(
  items: readonly T[],
  pieces: number,
  stillBreaks: (items: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> {
  const cuts = Array.from({ length: pieces }, (_, piece) => [
    Math.floor((piece * items.length) / pieces),
    Math.floor(((piece + 1) * items.length) / pieces),
  ]);
  for (const [from, to] of cuts) {
    const piece = items.slice(from, to);
    if (await stillBreaks(piece)) return piece;
  }
  if (pieces === 2) return undefined;
  for (const [from = 0, to = 0] of cuts) {
    const rest = [...items.slice(0, from), ...items.slice(to)];
    if (await stillBreaks(rest)) return rest;
  }
  return undefined;
}
