/**
 * All randomness of a run, from one seed. Each part of the world has its own named stream, so that an extra draw in one
 * stream does not change another. A thing with its own name (the delay of a worker's third update) is drawn by that
 * name: the draw stays the same even if all earlier events differ.
 */
import type { Random } from '../../../src/platform/random.ts';
import { hashText, mixed, mixedWhole } from './hash.ts';

const whole = 2 ** 32;

export class RandomStreams {
  readonly #seed: number;
  readonly #streams = new Map<string, Random>();

  constructor(seed: number) {
    this.#seed = mixedWhole(0x5eed, seed);
  }

  /** Returns the same stream on each call, at its present position. */
  stream(name: string): Random {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const made = longStream(mixed(this.#seed, hashText(name)));
    this.#streams.set(name, made);
    return made;
  }

  /** Returns a short stream that starts anew for each key. */
  keyed(key: number): Random {
    let state = mixed(this.#seed, key);
    return {
      next: () => {
        state = (state + 0x9e37_79b9) | 0;
        return mixed(state, key) / whole;
      },
    };
  }

  /** Returns one number for a key and a purpose, without building a stream. */
  draw(key: number, purpose: number): number {
    return mixed(mixed(this.#seed, key), purpose) / whole;
  }
}

/** Has four words of state: long enough for any run, and equal on every machine. */
function longStream(seed: number): Random {
  let a = mixed(seed, 1);
  let b = mixed(seed, 2);
  let c = mixed(seed, 3);
  let count = 1;
  const next = (): number => {
    const result = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return (result >>> 0) / whole;
  };
  // The first numbers still correlate with the seed.
  for (let round = 0; round < 12; round += 1) next();
  return { next };
}

export function wholeBetween(random: Random, from: number, to: number): number {
  return from + Math.floor(random.next() * (to - from + 1));
}

/** Log-uniform: each power of ten is equally likely. */
export function logBetween(random: Random, from: number, to: number): number {
  return Math.round(from * (to / from) ** random.next());
}

/** Throws on an empty list: an empty list is a mistake of the caller. */
export function oneOf<T>(random: Random, list: readonly T[]): T {
  const chosen = list[Math.floor(random.next() * list.length)];
  if (chosen === undefined) throw new Error('there is nothing to choose from');
  return chosen;
}
