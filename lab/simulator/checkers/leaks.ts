/** Counts of timers, watches and objects at the end. A run with faults may hold no more than a run without. */
export type Held = Readonly<Record<string, number>>;

/** A call or two may be under way in one run and not in the other. */
const slack = 3;

/** Returns what grew, as a sentence; undefined when nothing did. */
export function leakOf(held: Held, clean: Held): string | undefined {
  const grown = Object.entries(held).filter(([what, count]) => count > (clean[what] ?? 0) + slack);
  if (grown.length === 0) return undefined;
  return grown.map(([what, count]) => `${what}: ${count}, without faults ${clean[what] ?? 0}`).join('; ');
}

/** For a long run: the second half must not hold much more than the first half. */
export function growthOf(samples: readonly Held[]): string | undefined {
  const half = Math.floor(samples.length / 2);
  const mostIn = (list: readonly Held[], what: string): number =>
    Math.max(0, ...list.map((sample) => sample[what] ?? 0));
  const kinds = new Set(samples.flatMap((sample) => Object.keys(sample)));
  const grown = [...kinds].filter((what) => {
    const before = mostIn(samples.slice(0, half), what);
    return mostIn(samples.slice(half), what) > before * 1.5 + slack;
  });
  if (grown.length === 0) return undefined;
  return grown.map((what) => `${what}: ${samples.map((sample) => sample[what] ?? 0).join(' ')}`).join('; ');
}
