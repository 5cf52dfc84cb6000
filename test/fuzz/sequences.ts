/** Sequences of requests on a few objects of one or two kinds, so that steps affect each other. */
import * as fc from 'fast-check';
import { gets, lists, watches } from './read-steps.ts';
import type { KindName, Step } from './step.ts';
import { creates, deletes, deletesOfAll, patches, puts } from './write-steps.ts';

const kindNames: fc.Arbitrary<KindName> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<KindName>('widgets') },
  {
    weight: 9,
    arbitrary: fc.constantFrom<KindName>(
      'gadgets',
      'configMaps',
      'secrets',
      'leases',
      'serviceAccounts',
      'bolts',
      'oldBolts',
      'zones',
      'namespaces',
    ),
  },
);

function stepsOf(kind: KindName): fc.Arbitrary<Step> {
  return fc.oneof(
    { weight: 6, arbitrary: creates(kind) },
    { weight: 4, arbitrary: puts(kind) },
    { weight: 7, arbitrary: patches(kind) },
    { weight: 3, arbitrary: deletes(kind) },
    { weight: 1, arbitrary: deletesOfAll(kind) },
    { weight: 1, arbitrary: gets(kind) },
    { weight: 3, arbitrary: lists(kind) },
    { weight: 2, arbitrary: watches(kind) },
  );
}

const longest = 12;

export const sequences: fc.Arbitrary<readonly Step[]> = fc
  .uniqueArray(kindNames, { minLength: 1, maxLength: 2 })
  .chain((chosen) =>
    fc.array(fc.oneof(...chosen.map(stepsOf)), { minLength: 1, maxLength: longest, size: 'max' }),
  );
