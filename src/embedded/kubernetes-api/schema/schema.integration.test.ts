/** Compares this folder with the real kube-apiserver on the same schemas and objects. */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { Agent, request } from 'undici';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { startKubeFrom } from '../../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../../test/reference/describe-integration.ts';
import type { Kube } from '../../../../test/reference/launch/kube.ts';
import { isJsonObject, type Json } from '../json.ts';
import { checkSchema } from './check-schema.ts';
import { applyDefaults } from './default.ts';
import { prune } from './prune.ts';
import { acceptedSchemas } from '../../../../lab/contracts/kubernetes-api/schema/accepted-schemas.ts';
import { doubtfulSchemas, rootOf } from '../../../../lab/contracts/kubernetes-api/schema/doubtful-schemas.ts';
import { knownDifferences } from '../../../../lab/contracts/kubernetes-api/schema/known-differences.ts';
import { formatTexts, patternTexts } from '../../../../lab/contracts/kubernetes-api/schema/texts.ts';
import { valuesOf } from '../../../../lab/contracts/kubernetes-api/schema/values.ts';
import type { JsonSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

/** The seed and the factor of the number of objects; set other values to search further. */
const seed = Number(process.env['MUSTER_SCHEMA_SEED'] ?? 20_261_115);
const scale = Number(process.env['MUSTER_SCHEMA_SCALE'] ?? 1);
const objectsPerSchema = 80 * scale;
const updatesPerSchema = 40 * scale;
const group = 'schemas.example.com';

const answerSchema = z.looseObject({
  details: z
    .looseObject({
      causes: z
        .array(z.looseObject({ field: z.string().optional(), reason: z.string().optional() }))
        .optional(),
    })
    .optional(),
});

interface Answer {
  readonly status: number;
  readonly body: Json;
  /** `field reason` of each cause, sorted, each once. */
  readonly causes: readonly string[];
  /** Paths of the fields that the server reported as unknown. */
  readonly unknown: readonly string[];
}

interface Ask {
  readonly method: 'POST' | 'PUT' | 'GET';
  readonly path: string;
  readonly body?: Json;
}

interface Real {
  readonly kube: Kube;
  readonly ask: (ask: Ask) => Promise<Answer>;
}

async function connect(kube: Kube): Promise<Real> {
  const pair = await kube.authority.client('admin', ['system:masters']);
  const dispatcher = new Agent({
    connect: { ca: kube.authority.certificate, cert: pair.certificate, key: pair.key },
  });
  return {
    kube,
    ask: async ({ method, path, body }) => {
      const answer = await request(`${kube.url}${path}`, {
        method,
        dispatcher,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answered: Json = JSON.parse(await answer.body.text());
      const warnings = String(answer.headers['warning'] ?? '');
      return {
        status: answer.statusCode,
        body: answered,
        causes: named(answerSchema.parse(answered).details?.causes ?? []),
        unknown: [...warnings.matchAll(/unknown field \\"(.*?)\\"/g)].map(([, name = '']) => name).toSorted(),
      };
    },
  };
}

function named(
  causes: readonly { field?: string | undefined; reason?: string | undefined }[],
): readonly string[] {
  return [...new Set(causes.map(({ field = '', reason = '' }) => `${field} ${reason}`))].toSorted();
}

function definition(kind: string, schema: Json): Readonly<Record<string, Json>> {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, plural, singular: plural.slice(0, -1), listKind: `${kind}List` },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

function objectsPath(kind: string): string {
  return `/apis/${group}/v1/${kind.toLowerCase()}s`;
}

function objectOf(kind: string, fields: Json, meta: Readonly<Record<string, Json>> = {}): Json {
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    ...rest
  } = isJsonObject(fields) ? fields : {};
  return { ...rest, apiVersion: `${group}/v1`, kind, metadata: { name: 'sample', ...meta } };
}

function asJson(schema: JsonSchema): Json {
  return JSON.parse(JSON.stringify(schema));
}

function withoutMeta(body: Json): Json {
  const { metadata: _metadata, ...rest } = isJsonObject(body) ? body : {};
  return rest;
}

async function install(real: Real, kind: string, schema: Json): Promise<void> {
  const created = await real.ask({ method: 'POST', path: definitions, body: definition(kind, schema) });
  if (created.status !== 201) throw new Error(`${kind}: ${JSON.stringify(created.body)}`);
  await vi.waitFor(
    async () => {
      const list = await real.ask({ method: 'GET', path: objectsPath(kind) });
      expect(list.status).toBe(200);
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** The result of our functions for a new object, in the form of the server's result. */
function ourVerdict(schema: JsonSchema, object: Json, old?: Json): Verdicts['ours'] {
  const { value, unknown } = prune(schema, object);
  const completed = applyDefaults(schema, value);
  const before = old === undefined ? undefined : applyDefaults(schema, prune(schema, old).value);
  const causes = named(validate(schema, completed, before));
  return causes.length > 0 ? { causes } : { unknown, object: withoutMeta(completed) };
}

function realVerdict({ status, body, causes, unknown }: Answer): Verdicts['theirs'] {
  if (status === 422) return { causes };
  return status === 200 || status === 201 ? { unknown, object: withoutMeta(body) } : { status, body };
}

function verdictOnSchema({ status, body, causes }: Answer): unknown {
  if (status === 422) return causes;
  return status === 201 ? [] : body;
}

interface Verdicts {
  readonly ours: Readonly<Record<string, unknown>>;
  readonly theirs: Readonly<Record<string, unknown>>;
}

async function compare<T>(cases: readonly T[], verdictsOn: (one: T) => Promise<Verdicts>) {
  const differences: unknown[] = [];
  const kinds = new Set<boolean>();
  for (const one of cases) {
    const verdicts = await verdictsOn(one);
    kinds.add('object' in verdicts.theirs);
    if (!isDeepStrictEqual(verdicts.ours, verdicts.theirs)) differences.push({ one, ...verdicts });
  }
  return { differences, hasAccepted: kinds.has(true), hasRefused: kinds.has(false) };
}

/** An object before and after an update: equal, different, or mixed; lists may be reversed. */
function updatesOf(schema: JsonSchema): fc.Arbitrary<readonly [Json, Json]> {
  return fc
    .tuple(valuesOf(schema), valuesOf(schema), fc.array(fc.nat(4), { minLength: 16, maxLength: 16 }))
    .map(([old, other, choices]) => [old, mixed(old, other, choices)]);
}

function mixed(old: Json, other: Json, choices: readonly number[]): Json {
  const [choice = 0, ...rest] = choices;
  if (isJsonObject(old) && isJsonObject(other)) {
    const [before, after] = [new Map(Object.entries(old)), new Map(Object.entries(other))];
    const keys = [...new Set([...before.keys(), ...after.keys()])];
    return Object.fromEntries(
      keys.map((key, index) => {
        const was = before.get(key) ?? after.get(key) ?? null;
        return [key, mixed(was, after.get(key) ?? was, rest.slice(index % 8))];
      }),
    );
  }
  if (choice === 4 && Array.isArray(old)) return old.toReversed();
  if (choice === 3 && Array.isArray(old) && Array.isArray(other)) return [...old, ...other];
  return choice === 0 ? other : old;
}

function metadataOf(object: Json): Readonly<Record<string, Json>> {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}

/** Sets the real schema of a definition, and waits until the server uses it. */
async function tighten(real: Real, kind: string, schema: JsonSchema): Promise<void> {
  const path = `${definitions}/${kind.toLowerCase()}s.${group}`;
  const { body } = await real.ask({ method: 'GET', path });
  const tightened = { ...definition(kind, asJson(schema)), metadata: metadataOf(body) };
  const written = await real.ask({ method: 'PUT', path, body: tightened });
  if (written.status !== 200) throw new Error(JSON.stringify(written.body));
  await vi.waitFor(
    async () => {
      const bad = objectOf(kind, { spec: 5 });
      const answer = await real.ask({ method: 'POST', path: `${objectsPath(kind)}?dryRun=All`, body: bad });
      expect(answer.status).toBe(422);
    },
    { timeout: 60_000, interval: 100 },
  );
}

await describeIntegration(
  {
    name: 'schemas on the real kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => connect(await startKubeFrom(bench, { workplace })),
  },
  (real) => {
    it.concurrent.for(Object.entries(acceptedSchemas))(
      `objects of %s get the same verdict (seed ${seed})`,
      async ([name, schema]) => {
        const kind = `Sample${name.toLowerCase()}`;
        await install(real(), kind, asJson(schema));
        const bodies = fc
          .sample(valuesOf(schema), { seed, numRuns: objectsPerSchema })
          .map((fields) => objectOf(kind, fields));
        const compared = await compare(bodies, async (body) => {
          const answer = await real().ask({ method: 'POST', path: `${objectsPath(kind)}?dryRun=All`, body });
          return { ours: ourVerdict(schema, body), theirs: realVerdict(answer) };
        });
        expect(compared.differences).toEqual([]);
        expect(compared).toMatchObject({ hasAccepted: true, hasRefused: true });
      },
    );

    it('agrees on every sample of every format and pattern', async () => {
      const kind = 'Text';
      const properties = Object.fromEntries([
        ...Object.keys(formatTexts).map((format): [string, JsonSchema] => [
          format,
          { type: 'string', format },
        ]),
        ...Object.keys(patternTexts).map((pattern): [string, JsonSchema] => [
          pattern,
          { type: 'string', pattern },
        ]),
      ]);
      const schema: JsonSchema = { type: 'object', properties: { spec: { type: 'object', properties } } };
      await install(real(), kind, asJson(schema));
      const bodies = Object.entries({ ...formatTexts, ...patternTexts }).flatMap(([key, texts]) =>
        texts.map((text) => objectOf(kind, { spec: { [key]: text } })),
      );
      const compared = await compare(bodies, async (body) => {
        const answer = await real().ask({ method: 'POST', path: `${objectsPath(kind)}?dryRun=All`, body });
        return { ours: ourVerdict(schema, body), theirs: realVerdict(answer) };
      });
      expect(compared.differences).toEqual([]);
      expect(compared).toMatchObject({ hasAccepted: true, hasRefused: true });
    });

    it.concurrent.for(['numbers', 'lists', 'maps', 'enums', 'defaults', 'conditions', 'conditionsOnValues'])(
      `what did not change is tolerated alike in %s (seed ${seed})`,
      async (about) => {
        const schema = acceptedSchemas[about] ?? {};
        const kind = `Ratchet${about.toLowerCase()}`;
        await install(real(), kind, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
        const pairs = fc.sample(updatesOf(schema), { seed, numRuns: updatesPerSchema });
        const stored = await Promise.all(
          pairs.map(async ([old], index) => {
            const body = objectOf(kind, old, { name: `old-${index}` });
            return (await real().ask({ method: 'POST', path: objectsPath(kind), body })).body;
          }),
        );
        await tighten(real(), kind, schema);
        const updates = stored.map((old, index) => ({
          name: `old-${index}`,
          old,
          body: objectOf(kind, pairs[index]?.[1] ?? {}, metadataOf(old)),
        }));
        const compared = await compare(updates, async ({ name, old, body }) => {
          const path = `${objectsPath(kind)}/${name}?dryRun=All`;
          const answer = await real().ask({ method: 'PUT', path, body });
          return { ours: ourVerdict(schema, body, old), theirs: realVerdict(answer) };
        });
        expect(compared.differences).toEqual([]);
        expect(compared).toMatchObject({ hasAccepted: true, hasRefused: true });
      },
    );

    it('each known difference with an example still exists', async () => {
      const examples = knownDifferences.flatMap(({ what, example }) =>
        example === undefined ? [] : [{ what, example }],
      );
      const verdicts = await Promise.all(
        examples.map(async ({ what, example }, index) => {
          const kind = `Different${index}`;
          const schema: JsonSchema = { type: 'object', properties: { spec: example.schema } };
          await install(real(), kind, asJson(schema));
          const body = objectOf(kind, { spec: example.spec });
          const answer = await real().ask({ method: 'POST', path: `${objectsPath(kind)}?dryRun=All`, body });
          return { what, isSame: isDeepStrictEqual(ourVerdict(schema, body), realVerdict(answer)) };
        }),
      );
      expect(verdicts).toEqual(examples.map(({ what }) => ({ what, isSame: false })));
    });

    it('rejects the same schemas at the same fields', async () => {
      const verdicts = await Promise.all(
        doubtfulSchemas.map(async (doubtful) => {
          const schema = rootOf(doubtful);
          const body = definition('Doubtful', schema);
          const answer = await real().ask({ method: 'POST', path: `${definitions}?dryRun=All`, body });
          const ours = named(checkSchema(schema));
          // Undecodable values are rejected without field names.
          const isUndecodable = answer.status === 400 && ours.length > 0;
          return { name: doubtful.name, ours, theirs: isUndecodable ? ours : verdictOnSchema(answer) };
        }),
      );
      expect(verdicts.map(({ name, ours }) => [name, ours])).toEqual(
        verdicts.map(({ name, theirs }) => [name, theirs]),
      );
    });
  },
);
