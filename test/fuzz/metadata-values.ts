/** Metadata from writers: mostly valid, from so few words that writers conflict, sometimes wrong in one place. */
import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/embedded/kubernetes-api/json.ts';

export type Values = fc.Arbitrary<Json>;
export type Objects = fc.Arbitrary<JsonObject>;

/** Any of the fields, or all that `always` names. */
export function some(of: Readonly<Record<string, Values>>, always: readonly string[] = []): Objects {
  return fc
    .record({ ...of }, { requiredKeys: [...always] })
    .map((value): JsonObject => Object.fromEntries(Object.entries(value)));
}

/** Mostly a valid value, sometimes a bad one. */
export function mostly(good: Values, bad: Values): Values {
  return fc.oneof({ weight: 14, arbitrary: good }, { weight: 1, arbitrary: bad });
}

export function rarely(of: Objects): Objects {
  return fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: of });
}

export function among(...values: readonly Json[]): Values {
  return fc.constantFrom(...values);
}

/** The fields of both; those of `b` win. */
export function both(a: Objects, b: Objects): Objects {
  return fc.tuple(a, b).map(([first, second]) => ({ ...first, ...second }));
}

export const word = among('a', 'b', 'c');

export const labels: Values = mostly(
  some({ app: word, tier: among('x', 'y'), 'example.com/zone': word }),
  among({ app: 'not a value' }, { 'bad key!': 'a' }, { app: 1 }, [], 'a', null, { app: null }),
);

const annotations: Values = mostly(
  some({ note: word, 'example.com/long': among('some words', '') }),
  among({ 'Bad Key': 'a' }, { note: 7 }, null),
);

export const finalizers: Values = mostly(
  fc.uniqueArray(fc.constantFrom('x.example.com/a', 'x.example.com/b'), { maxLength: 2 }),
  among(
    ['plain'],
    ['foregroundDeletion'],
    ['x.example.com/a', 'x.example.com/a'],
    ['not valid!'],
    null,
    'a',
    [7],
  ),
);

const someUid = '11111111-2222-3333-4444-555555555555';
const owner = some(
  {
    apiVersion: mostly(among('v1'), among('', 'a/b/c')),
    kind: mostly(among('ConfigMap'), among('', 'Event')),
    name: mostly(among('a', 'b'), among('')),
    uid: mostly(among(someUid, '<uid>'), among('')),
    controller: fc.boolean(),
    blockOwnerDeletion: fc.boolean(),
  },
  ['apiVersion', 'kind', 'name', 'uid'],
);
const owners: Values = mostly(
  fc.uniqueArray(owner, {
    maxLength: 2,
    selector: (one) => JSON.stringify(new Map(Object.entries(one ?? {})).get('uid')),
  }),
  fc.array(owner, { minLength: 2, maxLength: 2 }),
);

/** Identity fields that a client may send. */
const identity = rarely(
  some({
    resourceVersion: among('<revision>', '<stale>', '1', 'abc', '', '0'),
    uid: among('<uid>', someUid, ''),
    namespace: among('<namespace>', 'elsewhere', ''),
    name: among('<a>', '<other>', ''),
  }),
);

/** Fields of the server, or unknown fields. */
const presumed = rarely(
  some({
    generation: among(7, 0, -1),
    creationTimestamp: among(null, '2020-01-01T00:00:00Z', 'yesterday'),
    deletionTimestamp: among('2020-01-01T00:00:00Z', null),
    deletionGracePeriodSeconds: among(5, 0),
    generateName: among('g-', ''),
    managedFields: among([], null, [{}], [{ manager: 'one', operation: 'Update', apiVersion: 'v1' }]),
    bogus: among(1, 'a', null),
  }),
);

export const metadatas: Objects = both(
  both(
    some({ labels, annotations }),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      { weight: 2, arbitrary: some({ finalizers, ownerReferences: owners }) },
    ),
  ),
  both(identity, presumed),
);
