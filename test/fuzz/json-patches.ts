/** JSON patches at paths that the other steps write, and at some missing paths. */
import * as fc from 'fast-check';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import { among, mostly, some, type Values } from './metadata-values.ts';
import type { KindName } from './step.ts';

type Place = readonly [path: string, value: Json];

const everywhere: readonly Place[] = [
  ['/metadata/labels/app', 'b'],
  ['/metadata/labels', { app: 'a' }],
  ['/metadata/annotations/note', 'c'],
  ['/metadata/annotations/example.com~1long', 'x'],
  ['/metadata/finalizers', ['x.example.com/a']],
  ['/metadata/finalizers/0', 'x.example.com/b'],
  ['/metadata/finalizers/-', 'x.example.com/b'],
];
const odd: readonly Place[] = [
  ['', {}],
  ['/bogus', 1],
  ['/metadata', { name: '<a>' }],
  ['/metadata/name', '<other>'],
  ['/metadata/resourceVersion', '<stale>'],
  ['/metadata/uid', 'x'],
  ['/metadata/labels/app/deep', 'a'],
  ['/metadata/finalizers/7', 'x.example.com/a'],
  ['/metadata/finalizers/-1', 'x.example.com/a'],
  ['/spec/none/deep', 1],
  ['spec', 1],
];
const custom: readonly Place[] = [
  ['/spec/size', 2],
  ['/spec/note', 'b'],
  ['/spec', { size: 3 }],
  ['/status', { phase: 'Up' }],
  ['/status/phase', 'Down'],
];
const config: readonly Place[] = [
  ['/data/a', 'YQ=='],
  ['/data', { b: 'Yg==' }],
  ['/immutable', true],
];
const places: Readonly<Record<KindName, readonly Place[]>> = {
  widgets: [
    ...custom,
    ['/spec/tags/-', 'c'],
    ['/spec/tags/0', 'b'],
    ['/spec/tags', ['a', 'b']],
    ['/spec/parts/0/count', 4],
    ['/spec/parts/-', { name: 'z' }],
    ['/spec/parts', [{ name: 'a' }]],
    ['/spec/note', null],
    ['/spec/open/a', [1]],
    ['/spec/mode', 'Fast'],
  ],
  gadgets: custom,
  zones: custom,
  bolts: custom,
  oldBolts: custom,
  configMaps: config,
  secrets: [...config, ['/type', 'Opaque']],
  leases: [
    ['/spec/holderIdentity', 'b'],
    ['/spec', { leaseDurationSeconds: 5 }],
  ],
  serviceAccounts: [
    ['/secrets', [{ name: 'a' }]],
    ['/automountServiceAccountToken', true],
  ],
  namespaces: [
    ['/spec/finalizers', []],
    ['/status/phase', 'Terminating'],
  ],
};
function operationAt([path, value]: Place, from: Place): Values {
  const plain = among('add', 'add', 'replace', 'remove', 'test').map((op): Json => {
    return op === 'remove' ? { op, path } : { op, path, value };
  });
  const moved = among('move', 'copy').map((op): Json => ({ op, path, from: from[0] }));
  return fc.oneof({ weight: 6, arbitrary: plain }, { weight: 1, arbitrary: moved });
}

export function jsonPatches(kind: KindName): Values {
  const usual = fc.constantFrom(...places[kind], ...everywhere);
  const place = fc.oneof({ weight: 10, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
  const operation = fc.tuple(place, usual).chain(([at, from]) => operationAt(at, from));
  return mostly(
    fc.array(mostly(operation, some({ op: among('add', 'odd'), path: among('/spec') })), { maxLength: 3 }),
    among({}, [{}], 'a', [1], null),
  );
}
