/** Writes, valid and invalid. */
import * as fc from 'fast-check';
import { isJsonObject, without, type Json, type JsonObject } from '../../src/embedded/kubernetes-api/json.ts';
import { bodies, changes, scales } from './field-values.ts';
import { jsonPatches } from './json-patches.ts';
import { kinds } from './kinds.ts';
import { among, both, metadatas, mostly, rarely, some, type Objects } from './metadata-values.ts';
import type { Create, Delete, DeleteAll, KindName, Part, Patch, PatchType, Put, Query } from './step.ts';
import { selectorsFor } from './selections.ts';

export const names: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('a') },
  { weight: 2, arbitrary: fc.constant('b') },
  { weight: 1, arbitrary: fc.constant('c') },
);

const placed = fc.oneof(
  { weight: 30, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ place: 'other' as const }) },
);

export function asQuery(of: Objects): fc.Arbitrary<Query> {
  return of.map((query) =>
    Object.fromEntries(Object.entries(query).map(([key, value]) => [key, asText(value)])),
  );
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const managers = mostly(among('one', 'two', 'three'), among('', 'm'.repeat(129), 'line\nbreak'));

const options: Objects = both(
  fc.oneof(fc.constant<JsonObject>({}), some({ fieldManager: managers }, ['fieldManager'])),
  rarely(
    some({
      dryRun: mostly(among('All'), among('None', '')),
      fieldValidation: mostly(among('Strict', 'Warn', 'Ignore'), among('Loud')),
    }),
  ),
);

const writeQueries = asQuery(options);

function withMetadata(fields: Objects): Objects {
  return fc.tuple(metadatas, fields).map(([metadata, rest]) => ({ metadata, ...rest }));
}

/** Sometimes an object that is wrong as a whole. */
function whole(body: Objects): Objects {
  return both(
    body,
    fc.oneof({ weight: 24, arbitrary: fc.constant<JsonObject>({}) }, { weight: 1, arbitrary: wrongTop }),
  );
}

const wrongTop: Objects = some({
  apiVersion: among('v2', '', 1),
  kind: among('', null),
  metadata: among(null, 'a', {}),
});

export function creates(kind: KindName): fc.Arbitrary<Create> {
  const body = whole(withMetadata(bodies[kind]));
  const named = fc.oneof(
    { weight: 12, arbitrary: fc.record({ name: names }) },
    { weight: 1, arbitrary: fc.record({ name: fc.constantFrom('Not_Valid', '-x', 'a.b', 'x'.repeat(64)) }) },
    { weight: 1, arbitrary: fc.constant({}) },
  );
  return fc
    .tuple(named, placed, fc.record({ body, query: writeQueries }))
    .map(([name, place, rest]) => ({ verb: 'create' as const, kind, ...name, ...place, ...rest }));
}

function partsOf(kind: KindName): fc.Arbitrary<Part> {
  const { parts } = kinds[kind];
  return fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...parts) },
    { weight: 1, arbitrary: fc.constantFrom<Part>('status', 'scale') },
  );
}

function bodyOf(part: Part, fields: Objects): Objects {
  return whole(withMetadata(part === 'scale' ? scales() : fields));
}

export function puts(kind: KindName): fc.Arbitrary<Put> {
  return partsOf(kind).chain((part) =>
    fc.record({
      verb: fc.constant('put' as const),
      kind: fc.constant(kind),
      name: names,
      part: fc.constant(part),
      over: fc.constantFrom<Put['over']>('seen', 'seen', 'nothing'),
      body: bodyOf(part, bodies[kind]).map((body) =>
        kind === 'leases' || kind === 'namespaces' ? withoutServerFields(body) : body,
      ),
      query: writeQueries,
    }),
  );
}

/** On the real server an apply or a PUT that creates keeps fields that a POST would drop. */
function withoutServerFields(body: JsonObject): JsonObject {
  const { metadata } = body;
  if (!isJsonObject(metadata)) return body;
  return {
    ...body,
    metadata: without(metadata, 'deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'),
  };
}

/**
 * Nor does any sequence apply empty values to metadata or to a whole status: their effect on the real server shows only
 * later.
 */
function asApplied(body: JsonObject): JsonObject {
  const { metadata, ...rest } = withoutServerFields(body);
  const sound = isJsonObject(metadata)
    ? notEmpty(without(metadata, 'creationTimestamp', 'generateName'))
    : metadata;
  const fields = rest['status'] === null ? without(rest, 'status') : rest;
  return { ...fields, ...(sound !== undefined && { metadata: sound }) };
}

function notEmpty(fields: JsonObject): JsonObject {
  const isEmpty = (value: Json): boolean =>
    value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

/** A patch that empties the version of a built-in kind is refused with a message that only the real server has. */
function withSomeVersion(body: JsonObject): JsonObject {
  return body['apiVersion'] === '' ? without(body, 'apiVersion') : body;
}

function patchTypesOf(kind: KindName): fc.Arbitrary<PatchType> {
  const usual = kinds[kind].isBuiltin
    ? fc.constantFrom<PatchType>('json', 'merge', 'strategic', 'apply', 'apply')
    : fc.constantFrom<PatchType>('json', 'merge', 'apply', 'apply');
  return fc.oneof(
    { weight: 40, arbitrary: usual },
    { weight: 1, arbitrary: fc.constant<PatchType>('strategic') },
  );
}

function patchBodies(kind: KindName, part: Part, type: PatchType): fc.Arbitrary<Json> {
  if (type === 'json') return jsonPatches(kind);
  if (type === 'apply') return bodyOf(part, changes[kind]).map(asApplied);
  const body = bodyOf(part, changes[kind]);
  if (type !== 'strategic')
    return body
      .map(withSomeVersion)
      .map((patch) => (kind === 'namespaces' ? withoutServerFields(patch) : patch));
  const untracked = kind === 'namespaces' ? ['spec'] : ['secrets', 'imagePullSecrets'];
  return both(body, rarely(directives)).map((patch) => without(withoutServerFields(patch), ...untracked));
}

const directives: Objects = some({
  $patch: among('replace', 'delete', 'merge', 'odd'),
  metadata: among(
    { '$deleteFromPrimitiveList/finalizers': ['x.example.com/a'] },
    { labels: { $patch: 'replace', app: 'a' } },
  ),
});

function patchQueries(type: PatchType): fc.Arbitrary<Query> {
  if (type !== 'apply') return asQuery(both(options, rarely(some({ force: among('true') }))));
  const forced = fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constant({ force: 'true' }) },
  );
  const manager = mostly(among('one', 'two', 'three'), among('', null));
  return fc.tuple(writeQueries, forced, manager).map(([query, force, fieldManager]) => ({
    ...query,
    ...force,
    ...(typeof fieldManager === 'string' && { fieldManager }),
  }));
}

/** The real server fails with an internal error on an apply to a scale; a JSON patch may change nothing. */
function withMergedScale([part, type]: [Part, PatchType]): [Part, PatchType] {
  return [part, part === 'scale' && type !== 'strategic' ? 'merge' : type];
}

export function patches(kind: KindName): fc.Arbitrary<Patch> {
  return fc
    .tuple(partsOf(kind), patchTypesOf(kind))
    .map(withMergedScale)
    .chain(([part, type]) =>
      fc
        .record({
          name: names,
          body: patchBodies(kind, part, type),
          query: patchQueries(type),
          place: placed,
        })
        .map(({ place, ...rest }) => ({ verb: 'patch' as const, kind, part, type, ...place, ...rest })),
    );
}

const policyNames = mostly(among('Background', 'Foreground', 'Orphan'), among('Sideways', ''));
const graces = mostly(among(0, 5), among(-1));

const deleteOptions: Objects = some({
  preconditions: some({
    uid: among('<uid>', '11111111-2222-3333-4444-555555555555', ''),
    resourceVersion: among('<revision>', '<stale>', '1', ''),
  }),
  propagationPolicy: policyNames,
  gracePeriodSeconds: graces,
  orphanDependents: fc.boolean(),
  dryRun: mostly(among(['All']), among([], ['None'], 'All')),
  bogus: among(1),
});

interface Wishes {
  readonly query: Query;
  readonly options?: JsonObject;
}

const deleteWishes: fc.Arbitrary<Wishes> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ query: {} }) },
  { weight: 3, arbitrary: fc.record({ query: fc.constant({}), options: deleteOptions }) },
  {
    weight: 1,
    arbitrary: fc.record({
      query: asQuery(
        some({ propagationPolicy: policyNames, gracePeriodSeconds: graces, dryRun: among('All', 'None') }),
      ),
    }),
  },
);

/** For a namespace the real server treats the deprecated option orphanDependents differently. */
function inNewWords(kind: KindName, wishes: Wishes): Wishes {
  if (wishes.options === undefined || kind !== 'namespaces') return wishes;
  return { ...wishes, options: without(wishes.options, 'orphanDependents') };
}

/** A dry run that would remove a finalizer of the server is answered with an object without a name. */
function withoutDryPolicy({ query, options: wished }: Wishes): Wishes {
  const policies = ['propagationPolicy', 'orphanDependents'];
  const left = wished?.['dryRun'] === undefined ? wished : without(wished, ...policies);
  const { propagationPolicy, ...rest } = query;
  const isDry = query['dryRun'] !== undefined || propagationPolicy === undefined;
  return {
    query: isDry ? rest : { ...rest, propagationPolicy },
    ...(left !== undefined && { options: left }),
  };
}

export function deletes(kind: KindName): fc.Arbitrary<Delete> {
  return fc.tuple(names, deleteWishes).map(([name, wishes]) => ({
    verb: 'delete' as const,
    kind,
    name,
    ...inNewWords(kind, withoutDryPolicy(wishes)),
  }));
}

export function deletesOfAll(kind: KindName): fc.Arbitrary<DeleteAll> {
  return fc.tuple(selectorsFor(kind), deleteWishes).map(([{ query }, wishes]) => ({
    verb: 'deleteAll' as const,
    kind,
    ...wishes,
    query: { ...wishes.query, ...query },
  }));
}
