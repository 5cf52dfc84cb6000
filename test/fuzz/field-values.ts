/** Fields beside metadata, kind by kind: mostly valid, sometimes refused, sometimes unknown to the schema. */
import * as fc from 'fast-check';
import type { Json } from '../../src/embedded/kubernetes-api/json.ts';
import {
  among,
  both,
  finalizers,
  mostly,
  rarely,
  some,
  word,
  type Objects,
  type Values,
} from './metadata-values.ts';
import type { KindName } from './step.ts';

const unknown = rarely(some({ bogus: among(1, { deep: 'a' }, null), Spec: among({}) }));

const free: Values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    word,
    among(0, 1.5, true, null),
    fc.array(word, { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }),
  ),
})).value;

function list(of: Values, key: (item: Json) => unknown): Values {
  return fc.uniqueArray(of, { maxLength: 3, selector: (item) => JSON.stringify(key(item)) });
}

function keyed(of: Values, key: string): Values {
  return list(of, (item) => new Map(Object.entries(item ?? {})).get(key));
}

const badTexts = among({ a: 1 }, [], 'a', null, { a: null });
const texts = mostly(some({ a: word, b: word }), badTexts);
/** Readers of an immutable object disagree on whether an empty map equals a missing map. */
const someTexts = mostly(some({ a: word, b: word }, ['a']), badTexts);

const part = mostly(
  some({ name: word, count: among(1, 2), note: word }, ['name']),
  among({ count: 1 }, { name: null }, 'a', { name: 'a', bogus: 1 }),
);

const widgetSpec: Objects = both(
  some({
    replicas: mostly(among(1, 0, 3), among(-1, 'two', 1.5, null)),
    mode: mostly(among('Slow', 'Fast'), among('Odd', null, 1)),
    code: mostly(among('abc', 'd'), among('ABC', 'abcdefghi', '')),
    ratio: mostly(among(1, 0.5, 1000), among('1', null)),
    port: mostly(among(80, 'http'), among(true, 1.5, null)),
    when: mostly(among('2026-01-01T00:00:00Z', '2026-01-01T02:00:00.5+02:00'), among('today', null)),
    note: among('x', null, 'y'),
    colour: among('red', null),
    finish: mostly(among('gloss', 'matt'), among(null)),
    open: mostly(some({ a: free, b: free }), among(null, 'a', [])),
    template: mostly(
      some(
        {
          apiVersion: among('v1'),
          kind: among('Pod'),
          metadata: some({ name: word, labels: texts }),
          spec: among({}),
        },
        ['apiVersion', 'kind'],
      ),
      among({}, { apiVersion: 'v1' }, { kind: 'Pod', apiVersion: 'a/b/c' }),
    ),
    labels: texts,
  }),
  some({
    tags: mostly(
      list(word, (item) => item),
      among(['a', 'a'], [1], 'a', null),
    ),
    parts: mostly(keyed(part, 'name'), fc.array(part, { maxLength: 3 })),
    steps: mostly(fc.array(word, { maxLength: 3 }), among(['a', 'a', 'b', 'b'], [null], null)),
    limits: mostly(some({ soft: among(5, 6), hard: among(9) }), among(null, { soft: null }, { hard: 'x' })),
    budget: mostly(some({ soft: among(7, 8) }), among(null, { soft: null }, { bogus: 1 })),
    choice: mostly(among({ left: 'a' }, { right: 'b' }), among({}, { left: 'a', right: 'b' })),
    low: among(1, 5),
    high: among(9, 3),
    fixed: among('one', 'two'),
  }),
);

const size = mostly(among(1, 2, 10), among(0, 11, '1', 1.5, null));
const statuses = some({
  phase: mostly(among('Up', 'Down'), among(1, null)),
  ready: mostly(among(1, 2), among('x')),
  selector: among('app=a', ''),
  grown: among(1, 4),
  bogus: among(1),
});

function top(fields: Readonly<Record<string, Values>>, always: readonly string[] = []): Objects {
  return both(some(fields, always), unknown);
}

const loose = top({
  spec: mostly(
    some({ size: mostly(among(1, 2), among('x', null)), note: word, bogus: among(1) }),
    among(null, 'a', []),
  ),
  status: some({ phase: word }),
});

const base64 = mostly(among('YQ==', 'Yg==', ''), among('not base64!', 'YQ', 1));
const moment = mostly(
  among('2026-01-01T00:00:00.000000Z', '2026-01-01T01:00:00.123456Z', null),
  among('2026-01-01T00:00:00Z', 'today'),
);
const entry = mostly(some({ name: word }, ['name']), among({ name: 'a', bogus: 1 }, 'a'));

/** Whole objects without their metadata; required fields are usually present. */
export const bodies: Readonly<Record<KindName, Objects>> = {
  widgets: top({ spec: both(some({ size }, ['size']), widgetSpec), status: statuses }, ['spec']),
  gadgets: loose,
  zones: loose,
  bolts: loose,
  oldBolts: loose,
  configMaps: top({
    data: someTexts,
    binaryData: mostly(some({ c: base64, d: base64 }, ['c']), among({ a: 'YQ==' }, { 'bad key': 'YQ==' })),
    immutable: among(false, true, null),
  }),
  secrets: top({
    type: mostly(
      among('Opaque', 'example.com/own'),
      among('kubernetes.io/tls', 'kubernetes.io/basic-auth', '', 1),
    ),
    data: mostly(some({ a: base64, b: base64 }, ['a']), among(null, [])),
    stringData: someTexts,
    immutable: among(false, true),
  }),
  leases: top({
    spec: mostly(
      some({
        holderIdentity: mostly(word, among('', null)),
        leaseDurationSeconds: mostly(among(10, 20), among(0, -1, 'x', 1.5)),
        renewTime: moment,
        acquireTime: moment,
        leaseTransitions: mostly(among(0, 1), among(-1)),
      }),
      among(null, 'a', { bogus: 1 }),
    ),
  }),
  serviceAccounts: top({
    secrets: keyed(entry, 'name'),
    imagePullSecrets: keyed(entry, 'name'),
    automountServiceAccountToken: mostly(fc.boolean(), among('yes', null)),
  }),
  namespaces: top({
    spec: mostly(some({ finalizers }), among(null)),
    status: some({ phase: among('Active') }),
  }),
};

/** The same for a patch: nothing is required, and null removes. */
export const changes: Readonly<Record<KindName, Objects>> = {
  ...bodies,
  widgets: top({
    spec: mostly(both(some({ size }), widgetSpec), among(null)),
    status: mostly(statuses, among(null)),
  }),
};

/** A number that no other step uses. */
export const someReplicas = 20;

export function scales(): Objects {
  const replicas = mostly(among(someReplicas), among(-1, 'x', 1.5));
  return some({ spec: some({ replicas }, ['replicas']), status: some({ replicas: among(9) }) }, ['spec']);
}
