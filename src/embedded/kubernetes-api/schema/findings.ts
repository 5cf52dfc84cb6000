/**
 * The result of the checks of one value: distinct errors, and the number of successful checks. The number decides which
 * branch of `anyOf` and `oneOf` is reported, so it is computed like on the real server.
 */
import { noField, type Cause } from './cause.ts';
import type { Correlated } from './correlated.ts';
import type { Json } from '../json.ts';
import type { JsonSchema } from './structural-schema.ts';

const noCauses: ReadonlyMap<string, Cause> = new Map();

export class Findings {
  #causes: Map<string, Cause> | undefined;
  matches = 0;

  /** Created for the first error, because most values have none. */
  get causes(): ReadonlyMap<string, Cause> {
    return this.#causes ?? noCauses;
  }

  /** `sentence` identifies the error: equal sentences are one error. */
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

/** One successful check, to merge into others. Never modified. */
export const oneMatch = new Findings().count();

/** A value with its schema and path. */
export interface Place {
  readonly schema: JsonSchema;
  readonly value: Json;
  /** The path from the root, as in messages: `spec.foo[0]`; empty at the root. */
  readonly path: string;
  /** The prefix of the path in a cause; empty for a resource. */
  readonly at: string;
  /** The value before the update, where known. */
  readonly correlated?: Correlated | undefined;
}

export type Descend = (place: Place) => Findings;

/** Returns undefined for values that it does not check. */
export type Check = (place: Place, descend: Descend) => Findings | undefined;

/** The field of a cause at `path`. */
export function fieldAt(at: string, path: string): string {
  const name = path.startsWith('.') ? path.slice(1) : path;
  if (name === '') return at === '' ? noField : at;
  return at === '' ? name : `${at}.${name}`;
}

/** Errors about several fields have the start of the validation as their field. */
export function fieldOfWhole(at: string): string {
  return at === '' ? noField : at;
}
