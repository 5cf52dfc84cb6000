/** Runs one sequence on both servers and finds the first difference of their answers. */
import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../lab/contracts/kubernetes-api/target.ts';
import { isJsonObject, type Json } from '../../src/embedded/kubernetes-api/json.ts';
import { Player } from './player.ts';
import type { Step } from './step.ts';
import { transcriptOf, type Line } from './transcript.ts';

export interface Difference {
  readonly step: number | 'end';
  readonly what: string;
  /** The differing places inside the answer, with the values of both sides. */
  readonly at: readonly { readonly path: string; readonly embedded: string; readonly real: string }[];
}

export interface Outcome {
  readonly compared: number;
  readonly difference?: Difference;
}

export interface Sides {
  readonly embedded: Target;
  readonly real: Target;
}

export async function compare(
  { embedded, real }: Sides,
  namespace: string,
  steps: readonly Step[],
): Promise<Outcome> {
  const [ours, theirs] = await Promise.all(
    [embedded, real].map(async (target) =>
      transcriptOf(await new Player(target, namespace).play(steps), namespace),
    ),
  );
  if (ours === undefined || theirs === undefined) throw new Error('a side did not play');
  const compared = Math.max(ours.length, theirs.length);
  for (let index = 0; index < compared; index += 1) {
    const difference = differenceOf(ours[index], theirs[index]);
    if (difference !== undefined) return { compared, difference };
  }
  return { compared };
}

const absent: Line = { step: 'end', what: 'nothing', said: null };

function differenceOf(ours: Line = absent, theirs: Line = absent): Difference | undefined {
  if (isDeepStrictEqual(ours, theirs)) return undefined;
  const at = [...partings(ours.said, theirs.said, '')].map(({ path, a, b }) => ({
    path,
    embedded: show(a),
    real: show(b),
  }));
  return {
    step: theirs.step,
    what: ours.what === theirs.what ? theirs.what : `${ours.what} / ${theirs.what}`,
    at,
  };
}

interface Parting {
  readonly path: string;
  readonly a: Json | undefined;
  readonly b: Json | undefined;
}

function* partings(a: Json | undefined, b: Json | undefined, path: string): Generator<Parting> {
  if (isDeepStrictEqual(a, b)) return;
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  if (left === undefined || right === undefined || Array.isArray(a) !== Array.isArray(b))
    yield { path, a, b };
  else
    for (const key of new Set([...left.keys(), ...right.keys()]))
      yield* partings(left.get(key), right.get(key), `${path}/${key}`);
}

function fieldsOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  return Array.isArray(value) || isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}

function show(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
