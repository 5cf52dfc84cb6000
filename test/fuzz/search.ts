/**
 * Searches for a sequence with different answers, many at a time, and shrinks the first one. The sequences follow from
 * the seed alone, not from the parallelism.
 */
import * as fc from 'fast-check';
import type { Target } from '../../lab/contracts/kubernetes-api/target.ts';
import { compare, type Difference, type Outcome } from './compare.ts';
import { sequences } from './sequences.ts';
import { freshEmbedded } from './sides.ts';
import type { Step } from './step.ts';

export interface Order {
  readonly real: Target;
  readonly runs: number;
  readonly seed: number;
  /** Replays one sequence, and continues to shrink from there. */
  readonly path?: string;
  readonly atOnce: number;
  readonly progress: (line: string) => void;
}

export interface Finding {
  readonly path: string;
  readonly steps: readonly Step[];
  readonly difference: Difference;
}

export interface Result {
  readonly runs: number;
  readonly compared: number;
  /** The number of differing sequences, before shrinking. */
  readonly differing: number;
  readonly finding?: Finding;
}

export async function search(order: Order): Promise<Result> {
  const bench = new Bench(order.real);
  if (order.path !== undefined) {
    const finding = await shrink(bench, order, order.path);
    return {
      runs: bench.runs,
      compared: bench.compared,
      differing: finding ? 1 : 0,
      ...(finding && { finding }),
    };
  }
  const differing = await playAll(bench, order);
  const [first] = differing;
  const counted = { runs: bench.runs, compared: bench.compared, differing: differing.length };
  if (first === undefined) return counted;
  order.progress(`shrinking: sequence ${first}`);
  const finding = await shrink(bench, order, String(first));
  if (finding === undefined)
    throw new Error(`sequence ${first} differed once and then no more: --seed ${order.seed}`);
  return { ...counted, finding };
}

class Bench {
  readonly #real: Target;
  readonly #prefix: string;
  runs = 0;
  compared = 0;

  constructor(real: Target) {
    this.#real = real;
    this.#prefix = `fuzz-${process.pid}`;
  }

  async play(steps: readonly Step[]): Promise<Outcome> {
    this.runs += 1;
    const namespace = `${this.#prefix}-${String(this.runs).padStart(6, '0')}`;
    const outcome = await compare({ embedded: await freshEmbedded(), real: this.#real }, namespace, steps);
    this.compared += outcome.compared;
    return outcome;
  }
}

/** The numbers of the differing sequences, smallest first. */
async function playAll(bench: Bench, { runs, seed, atOnce, progress }: Order): Promise<readonly number[]> {
  const queue = fc.sample(sequences, { seed, numRuns: runs }).entries();
  const differing: number[] = [];
  const work = async (): Promise<void> => {
    for (const [index, steps] of queue) {
      const { difference } = await bench.play(steps);
      if (difference !== undefined) differing.push(index);
      progress(`comparing: ${bench.runs} of ${runs} sequences, ${differing.length} differ`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return differing.toSorted((a, b) => a - b);
}

async function shrink(bench: Bench, { seed, progress }: Order, path: string): Promise<Finding | undefined> {
  let tried = 0;
  const same = fc.asyncProperty(sequences, async (steps) => {
    tried += 1;
    progress(`shrinking: ${tried} tries, now ${steps.length} steps`);
    return (await bench.play(steps)).difference === undefined;
  });
  const { counterexample, counterexamplePath } = await fc.check(same, { seed, path, numRuns: 1 });
  const [steps] = counterexample ?? [];
  if (steps === undefined || counterexamplePath === null) return undefined;
  const fewest = await withoutNeedless(bench, steps);
  const { difference } = await bench.play(fewest);
  return difference && { path: counterexamplePath, steps: fewest, difference };
}

/** The shrinker never drops the last step, nor a middle step that another seems to need. */
async function withoutNeedless(bench: Bench, steps: readonly Step[]): Promise<readonly Step[]> {
  let left = steps;
  for (let index = steps.length - 1; index >= 0; index -= 1) {
    const fewer = left.toSpliced(index, 1);
    if (fewer.length > 0 && (await bench.play(fewer)).difference !== undefined) left = fewer;
  }
  return left;
}
