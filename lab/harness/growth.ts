/**
 * How the cost of some work grows with its input. Two sizes are compared, so the speed of the machine does not count;
 * each size counts with its fastest run, so that what else the machine does counts little.
 */
const runs = 3;
/** Shorter times say more of the machine than of the work. */
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
