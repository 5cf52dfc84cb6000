/** Selectors, each with a matching object: a watch needs that object as its last event. */
import * as fc from 'fast-check';
import type { JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { isClusterWide } from './kinds.ts';
import type { Fence, KindName, Query } from './step.ts';

export interface Selection {
  readonly query: Query;
  readonly fence: Fence;
}

const bare: Fence = { name: '', labels: {}, fields: {} };

const labelSelectors: readonly (readonly [string, JsonObject])[] = [
  ['app=a', { app: 'a' }],
  ['app==b', { app: 'b' }],
  ['app!=a', {}],
  ['app', { app: 'c' }],
  ['!app', {}],
  ['app in (a,b)', { app: 'a' }],
  ['app notin (a, b)', { app: 'c' }],
  ['app in (a),tier', { app: 'a', tier: 'x' }],
  ['app=', { app: '' }],
  ['app>1', { app: '5' }],
  ['example.com/zone=a,tier!=x', { 'example.com/zone': 'a' }],
];
const badLabelSelectors = ['app=a,', 'app==a b', 'in (a)', '=a', 'app in a', 'app>x', ','];

const fieldSelectors: readonly (readonly [string, Partial<Fence>])[] = [
  ['metadata.name=<a>', { name: 'a' }],
  ['metadata.name!=<a>', {}],
  ['metadata.name=<b>', { name: 'b' }],
  ['metadata.namespace=<namespace>', {}],
];
const kindSelectors: Partial<Record<KindName, readonly (readonly [string, Partial<Fence>])[]>> = {
  widgets: [
    ['spec.mode=Fast', { fields: { spec: { size: 1, mode: 'Fast' } } }],
    ['spec.mode!=Fast', { fields: { spec: { size: 1 } } }],
  ],
  secrets: [
    ['type=Opaque', {}],
    ['type!=Opaque', { fields: { type: 'example.com/own' } }],
  ],
};
const badFieldSelectors = [
  'spec.size=1',
  'metadata.name',
  'metadata.labels=a',
  'metadata.name=a=b',
  'metadata.name>a',
];

const byLabel: fc.Arbitrary<Selection> = fc
  .constantFrom(...labelSelectors)
  .map(([labelSelector, labels]) => ({ query: { labelSelector }, fence: { ...bare, labels } }));

function byField(kind: KindName): fc.Arbitrary<Selection> {
  return fc
    .constantFrom(...fieldSelectors, ...(kindSelectors[kind] ?? []))
    .map(([fieldSelector, fence]) => ({ query: { fieldSelector }, fence: { ...bare, ...fence } }));
}

function wrong(): fc.Arbitrary<Selection> {
  return fc.oneof(
    fc.constantFrom(...badLabelSelectors).map((labelSelector) => ({ query: { labelSelector }, fence: bare })),
    fc.constantFrom(...badFieldSelectors).map((fieldSelector) => ({ query: { fieldSelector }, fence: bare })),
  );
}

/** Outside namespaces the objects of other sequences are visible, so each object is selected by name. */
export function selectorsFor(kind: KindName): fc.Arbitrary<Selection> {
  if (isClusterWide(kind))
    return fc.constant({ query: { fieldSelector: 'metadata.name=<a>' }, fence: { ...bare, name: 'a' } });
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant<Selection>({ query: {}, fence: bare }) },
    { weight: 4, arbitrary: byLabel },
    { weight: 2, arbitrary: byField(kind) },
    { weight: 1, arbitrary: wrong() },
  );
}
