/**
 * What was found about one value: faults, each once, and how many checks went well.
 * The count decides which branch of `anyOf` and `oneOf` is reported, so it follows the real server's arithmetic.
 */
import { noField, type Cause } from './cause.ts';
import type { Correlated } from './correlated.ts';
import type { Json } from '../json.ts';
import type { JsonSchema } from './structural-schema.ts';

const noCauses: ReadonlyMap<string, Cause> = new Map();

export class Findings {
  #causes: Map<string, Cause> | undefined;
  matches = 0;

  /** Most values have no fault, so the map is made for the first one. */
  get causes(): ReadonlyMap<string, Cause> {
    return this.#causes ?? noCauses;
  }

  /** `sentence` identifies the fault: the same sentence twice is one fault. */
  add(sentence: string, cause: Cause): this {
    this.#causes ??= new Map();
    if (!this.#causes.has(sentence)) this.#causes.set(sentence, cause);
    return this;
  }

  merge(other: Findings): this {
    if (!other.isClean) for (const [sentence, cause] of other.causes) this.add(sentence, cause);
    return this.count(other.matches);
  }

  count(matches = 1): this {
    this.matches += matches;
    return this;
  }

  get isClean(): boolean {
    return this.#causes === undefined;
  }
}

/** One check that went well. To be merged into others: nothing is added to it. */
export const oneMatch = new Findings().count();

/** A value, the schema it is held against, and where both are. */
export interface Place {
  readonly schema: JsonSchema;
  readonly value: Json;
  /** From the root of the validated value, as messages write it: `spec.foo[0]`; empty at the root. */
  readonly path: string;
  /** What precedes the path in a cause; empty for a resource. */
  readonly at: string;
  /** The value that stood here before, where that is known. */
  readonly correlated?: Correlated | undefined;
}

export type Descend = (place: Place) => Findings;

/** Gives undefined where it has nothing to say about this kind of value. */
export type Check = (place: Place, descend: Descend) => Findings | undefined;

/** The field of a cause for a fault at `path`. */
export function fieldAt(at: string, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return at === '' ? noField : at;
  return at === '' ? name : `${at}.${name}`;
}

/** Faults that are about several fields together carry the place where validation began. */
export function fieldOfWhole(at: string): string {
  return at === '' ? noField : at;
}
