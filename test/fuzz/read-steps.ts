/** Reads: one object, a list or a page of it, and the changes since a revision. */
import * as fc from 'fast-check';
import { kinds } from './kinds.ts';
import { among, both, mostly, rarely, some, type Objects } from './metadata-values.ts';
import { selectorsFor } from './selections.ts';
import type { Get, KindName, List, Part, Watch } from './step.ts';
import { asQuery, names } from './write-steps.ts';

export function gets(kind: KindName): fc.Arbitrary<Get> {
  const revision = rarely(some({ resourceVersion: mostly(among('0', '<latest>', '<first>'), among('abc')) }));
  return fc.record({
    verb: fc.constant('get' as const),
    kind: fc.constant(kind),
    name: names,
    part: fc.constantFrom<Part>(...kinds[kind].parts, 'main'),
    query: asQuery(revision),
  });
}

const pageOptions: Objects = both(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 3, arbitrary: some({ limit: mostly(among(1, 2), among(0, -1, 'x')) }, ['limit']) },
    {
      weight: 2,
      arbitrary: some({ limit: among(1, 2), continue: mostly(among('<token>'), among('abc')) }, ['continue']),
    },
  ),
  rarely(
    some({
      resourceVersion: mostly(among('<latest>', '<first>', '0', ''), among('abc', '-1')),
      resourceVersionMatch: mostly(among('Exact', 'NotOlderThan'), among('Close')),
    }),
  ),
);

export function lists(kind: KindName): fc.Arbitrary<List> {
  return fc.tuple(selectorsFor(kind), asQuery(pageOptions)).map(([selection, page]) => ({
    verb: 'list' as const,
    kind,
    query: { ...page, ...selection.query },
  }));
}

const starts: Objects = fc.oneof(
  { weight: 4, arbitrary: some({ resourceVersion: among('<first>', '<latest>') }, ['resourceVersion']) },
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: some({
      resourceVersion: among('0', 'abc'),
      resourceVersionMatch: among('NotOlderThan', 'Exact'),
    }),
  },
  {
    weight: 2,
    arbitrary: some(
      {
        sendInitialEvents: among('true', 'false'),
        resourceVersionMatch: mostly(among('NotOlderThan'), among('Exact', '')),
        allowWatchBookmarks: among('true', 'false'),
        resourceVersion: among('<latest>', ''),
      },
      ['sendInitialEvents', 'resourceVersionMatch', 'allowWatchBookmarks'],
    ),
  },
);

export function watches(kind: KindName): fc.Arbitrary<Watch> {
  return fc.tuple(selectorsFor(kind), asQuery(starts)).map(([{ query, fence }, start]) => ({
    verb: 'watch' as const,
    kind,
    query: { ...start, ...query },
    fence,
  }));
}
