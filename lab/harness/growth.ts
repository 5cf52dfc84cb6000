/**
 * Measures how the cost of some work grows with its input. Two sizes are compared, so the speed of the machine does not
 * count. Each size counts with its fastest run, which reduces the effect of other load.
 */
const runs = 3;
/** Shorter times measure the machine rather than the work. */
const leastMicros = 1000;

/** How many times as much processor time the larger input takes. */
export function growth(sizes: readonly [number, number], prepare: (size: number) => () => unknown): number {
  const [small, large] = sizes.map((size) => fastest(prepare(size)));
  return (large ?? 0) / Math.max(small ?? 0, leastMicros);
}

/** In microseconds. */
function fastest(work: () => unknown): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...times);
}
