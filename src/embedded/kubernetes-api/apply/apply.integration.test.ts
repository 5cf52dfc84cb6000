/** Three writers on one object, on the embedded server and on the real one: the same answers, objects and owners. */
import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../../../test/reference/bring-up.ts';
import { describeIntegration } from '../../../../test/reference/describe-integration.ts';
import { Collection, type Resource } from '../../../../lab/contracts/kubernetes-api/collection.ts';
import { crdFor } from '../../../../lab/contracts/kubernetes-api/crds.ts';
import { HttpsTarget } from '../../../../lab/contracts/kubernetes-api/https-target.ts';
import { InProcessTarget } from '../../../../lab/contracts/kubernetes-api/in-process-target.ts';
import { resources } from '../../../../lab/contracts/kubernetes-api/resources.ts';
import type { Response, Target } from '../../../../lab/contracts/kubernetes-api/target.ts';
import { untilServed } from '../../../../lab/contracts/kubernetes-api/until.ts';
import { isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import {
  metadatas,
  sortsSchema,
  specs,
  statuses,
} from '../../../../lab/contracts/kubernetes-api/apply/sorts.ts';

/** The seed and the number of sequences; set other values to search further. */
const seed = Number(process.env['MUSTER_APPLY_SEED'] ?? 20_261_115);
const sequencesMax = Number(process.env['MUSTER_APPLY_SEQUENCES'] ?? 150);

const sorts: Resource = {
  group: 'apply.example.com',
  version: 'v1',
  plural: 'sorts',
  kind: 'Sort',
  scope: 'Cluster',
};

interface Step {
  readonly verb: 'apply' | 'put' | 'merge';
  readonly manager: string;
  readonly force: boolean;
  readonly part: 'main' | 'status';
  readonly fields: JsonObject;
}

const steps: fc.Arbitrary<Step> = fc
  .record({
    verb: fc.constantFrom('apply' as const, 'apply' as const, 'put' as const, 'merge' as const),
    manager: fc.constantFrom('one', 'two', 'three'),
    force: fc.boolean(),
    part: fc.constantFrom('main' as const, 'main' as const, 'main' as const, 'status' as const),
    metadata: metadatas,
    spec: specs,
    status: statuses,
  })
  .map(({ metadata, spec, status, ...rest }) => ({ ...rest, fields: { metadata, spec, status } }));

const sequences = fc.array(steps, { minLength: 2, maxLength: 7 });

class Side {
  readonly #objects: Collection;
  readonly codes = new Set<number>();
  #last: JsonObject | undefined;

  constructor(target: Target) {
    this.#objects = new Collection(target, sorts, '');
  }

  forget(): void {
    this.#last = undefined;
  }

  /** The result of the step, without server-specific values. */
  async take(name: string, step: Step): Promise<Json> {
    const before = this.#last;
    const { status, body } = await this.#send(name, step);
    this.codes.add(status);
    const object = asObject(body);
    if (status >= 300) return { status, causes: causesIn(object) };
    this.#last = object;
    return { status, isWrite: revisionOf(object) !== revisionOf(before), object: comparable(object) };
  }

  async #send(name: string, { verb, manager, force, part, fields }: Step): Promise<Response> {
    const objects = this.#objects;
    const draft = objects.draft(name, fields);
    const subresource = part === 'status' ? { subresource: 'status' } : {};
    const query = { fieldManager: manager };
    if (verb === 'apply')
      return objects.patch(
        name,
        { apply: draft },
        { query: { ...query, ...(force && { force: 'true' }) }, ...subresource },
      );
    if (this.#last === undefined) return objects.post(draft, query);
    if (verb === 'merge') return objects.patch(name, { merge: fields }, { query, ...subresource });
    const meta = { ...metadataIn(this.#last), labels: null, annotations: null, ...metadataIn(fields) };
    return objects.put(name, { ...draft, metadata: meta }, { query, ...subresource });
  }
}

function asJson(value: unknown): Json {
  const json: Json = JSON.parse(JSON.stringify(value));
  return json;
}

function asObject(value: unknown): JsonObject {
  const json = asJson(value);
  return isJsonObject(json) ? json : {};
}

function metadataIn(object: JsonObject | undefined): JsonObject {
  return asObject(object?.['metadata'] ?? {});
}

function revisionOf(object: JsonObject | undefined): Json {
  return metadataIn(object)['resourceVersion'] ?? null;
}

function comparable(object: JsonObject): Json {
  const { managedFields = [], ...metadata } = without(
    metadataIn(object),
    'uid',
    'resourceVersion',
    'creationTimestamp',
  );
  const owners = (Array.isArray(managedFields) ? managedFields : []).filter(isJsonObject);
  const sorted = owners
    .map((owner): JsonObject => ({ ...without(owner, 'time'), timed: owner['time'] !== undefined }))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { ...object, metadata: { ...metadata, managedFields: sorted } };
}

function keyOf({ manager, operation, subresource }: JsonObject): string {
  return JSON.stringify([manager, operation, subresource]);
}

function causesIn(failure: JsonObject): Json {
  const { causes } = asObject(failure['details'] ?? {});
  const list = (Array.isArray(causes) ? causes : []).filter(isJsonObject);
  const said = list.map(({ reason, field, message }) =>
    reason === 'FieldManagerConflict' ? JSON.stringify([field, message]) : JSON.stringify([field]),
  );
  return [...new Set(said)].filter((one) => one !== '["<nil>"]').toSorted();
}

interface Sides {
  readonly ours: Side;
  readonly theirs: Side;
}

async function firstDifference(
  { ours, theirs }: Sides,
  name: string,
  sequence: readonly Step[],
): Promise<unknown> {
  ours.forget();
  theirs.forget();
  for (const [index, step] of sequence.entries()) {
    const [mine, real] = [await ours.take(name, step), await theirs.take(name, step)];
    if (!isDeepStrictEqual(mine, real))
      return { taken: sequence.slice(0, index + 1), ours: mine, theirs: real };
  }
  return undefined;
}

async function install(target: Target): Promise<void> {
  const crd = crdFor(sorts, [
    { name: 'v1', schema: { ...sortsSchema }, extra: { subresources: { status: {} } } },
  ]);
  const created = await new Collection(target, resources.crds, '').post(crd);
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  await untilServed(target, sorts);
}

await describeIntegration(
  {
    name: 'apply beside the real kube-apiserver',
    by: 'kube',
    setUp: async ({ bench, workplace }) => {
      const { url, authority } = await startKubeFrom(bench, { workplace });
      const pair = await authority.client('contract', ['system:masters']);
      return { name: 'kube-apiserver', url, ca: authority.certificate, ...pair };
    },
  },
  (given) => {
    it(`does the same in ${sequencesMax} sequences of writes by three managers`, async () => {
      const real = new HttpsTarget(given());
      const embedded = new InProcessTarget({ next: () => 0.5 }, 100_000);
      await install(real);
      await install(embedded);
      const sides = { ours: new Side(embedded), theirs: new Side(real) };
      const differences: unknown[] = [];
      for (const [index, sequence] of fc.sample(sequences, { seed, numRuns: sequencesMax }).entries()) {
        const difference = await firstDifference(sides, `s${index}`, sequence);
        if (difference !== undefined) differences.push(difference);
      }
      await real.close();
      expect(differences).toEqual([]);
      expect(sides.theirs.codes).toEqual(new Set([200, 201, 404, 409, 422]));
    });
  },
);
