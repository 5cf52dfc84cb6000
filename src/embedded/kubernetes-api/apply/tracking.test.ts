/** The recorded owners after writes to a whole server. All expectations were read from a real server. */
import { describe, expect, it } from 'vitest';
import { Collection, type Resource } from '../../../../lab/contracts/kubernetes-api/collection.ts';
import { crdFor, object } from '../../../../lab/contracts/kubernetes-api/crds.ts';
import { InProcessTarget } from '../../../../lab/contracts/kubernetes-api/in-process-target.ts';
import { asObject, type KubeObject } from '../../../../lab/contracts/kubernetes-api/kube-object.ts';
import { resources } from '../../../../lab/contracts/kubernetes-api/resources.ts';
import type { Response } from '../../../../lab/contracts/kubernetes-api/target.ts';

const things: Resource = {
  group: 'apply.example.com',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  scope: 'Cluster',
};
const oldThings: Resource = { ...things, version: 'v1beta1' };
const count = { type: 'integer' };
const schema = object({
  spec: object({
    size: count,
    replicas: count,
    maps: {
      type: 'array',
      'x-kubernetes-list-type': 'set',
      items: object({ a: { type: 'string' } }, { 'x-kubernetes-map-type': 'atomic' }),
    },
  }),
  status: object({ phase: { type: 'string' }, replicas: count }),
});
const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
const extra = { subresources: { status: {}, scale } };

async function server(): Promise<(resource: Resource) => Collection> {
  const target = new InProcessTarget({ next: () => 0.5 }, 1000);
  const crd = crdFor(things, [
    { name: 'v1', schema, extra },
    { name: 'v1beta1', schema, extra, storage: false },
  ]);
  await new Collection(target, resources.crds, '').post(crd);
  return (resource) => new Collection(target, resource, 'default');
}

/** "manager operation version subresource", whether there is a time, and the fields. */
function owners({ body }: Response): readonly unknown[] {
  const { metadata }: KubeObject = asObject(body);
  return (metadata.managedFields ?? []).map((entry) => [
    [entry.manager, entry.operation, String(entry['apiVersion']).split('/').at(-1), entry.subresource ?? '']
      .join(' ')
      .trim(),
    entry['time'] !== undefined,
    entry.fieldsV1,
  ]);
}

/** Advances the virtual clock. */
async function timePasses(objects: Collection): Promise<void> {
  const watch = await objects.watch({ timeoutSeconds: '5' });
  await watch.ended();
}

const as = (fieldManager: string): { query: { fieldManager: string } } => ({ query: { fieldManager } });

describe('a write through the scale', () => {
  it('takes the replicas from their owner, without a time', async () => {
    const objects = (await server())(things);
    await objects.post(objects.draft('a', { spec: { size: 1, replicas: 1 } }), { fieldManager: 'author' });
    await objects.patch('a', { merge: { spec: { replicas: 2 } } }, { subresource: 'scale', ...as('scaler') });
    expect(owners(await objects.get('a'))).toEqual([
      ['scaler Update v1 scale', false, { 'f:spec': { 'f:replicas': {} } }],
      ['author Update v1', true, { 'f:spec': { '.': {}, 'f:size': {} } }],
    ]);
  });

  it('is not recorded for replicas without an owner', async () => {
    const objects = (await server())(things);
    await objects.patch('a', { apply: objects.draft('a', { spec: { size: 1 } }) }, as('one'));
    await objects.patch('a', { merge: { spec: { replicas: 2 } } }, { subresource: 'scale', ...as('scaler') });
    expect(owners(await objects.get('a'))).toEqual([['one Apply v1', true, { 'f:spec': { 'f:size': {} } }]]);
  });
});

describe('an apply', () => {
  it('has no time when it only agrees with existing values', async () => {
    const objects = (await server())(things);
    const apply = { apply: objects.draft('a', { spec: { size: 1 } }) };
    await objects.patch('a', apply, as('one'));
    expect(owners(await objects.patch('a', apply, as('two')))).toEqual([
      ['two Apply v1', false, { 'f:spec': { 'f:size': {} } }],
      ['one Apply v1', true, { 'f:spec': { 'f:size': {} } }],
    ]);
  });

  it('has a time when it also sets fields that its path cannot write, and is still no write when repeated', async () => {
    const objects = (await server())(things);
    const body = objects.draft('a', { spec: { size: 1 }, status: { phase: 'Up' } });
    await objects.post(body, { fieldManager: 'author' });
    await objects.put(
      'a',
      { ...asObject((await objects.get('a')).body), status: { phase: 'Up' } },
      {
        subresource: 'status',
        ...as('author'),
      },
    );
    const apply = { apply: objects.draft('a', { spec: { size: 2 }, status: { phase: 'Up' } }) };
    const applied = await objects.patch('a', apply, { subresource: 'status', ...as('one') });
    expect(owners(applied)[0]).toEqual(['one Apply v1 status', true, { 'f:status': { 'f:phase': {} } }]);
    await timePasses(objects);
    expect(await objects.patch('a', apply, { subresource: 'status', ...as('one') })).toEqual(applied);
  });

  it('of an empty status removes the whole status', async () => {
    const objects = (await server())(things);
    await objects.post(objects.draft('a', { spec: { size: 1 } }), { fieldManager: 'author' });
    const status = { subresource: 'status', ...as('one') };
    await objects.patch('a', { apply: objects.draft('a', { status: { phase: 'Up' } }) }, status);
    const after = await objects.patch('a', { apply: objects.draft('a') }, status);
    expect(asObject(after.body)).not.toHaveProperty('status');
  });

  it('in another version stays the same owner, and an update does not', async () => {
    const of = await server();
    const [now, before] = [of(things), of(oldThings)];
    await now.patch('a', { apply: now.draft('a', { spec: { size: 1, replicas: 1 } }) }, as('one'));
    await before.patch('a', { apply: before.draft('a', { spec: { size: 2 } }) }, as('one'));
    await before.patch('a', { merge: { spec: { size: 3 } } }, as('editor'));
    const after = await now.patch('a', { merge: { spec: { replicas: 4 } } }, as('editor'));
    expect(owners(after)).toEqual([
      ['editor Update v1', true, { 'f:spec': { 'f:replicas': {} } }],
      ['editor Update v1beta1', true, { 'f:spec': { 'f:size': {} } }],
    ]);
  });

  it('of a null where none is allowed is 422', async () => {
    const objects = (await server())(things);
    const refused = await objects.patch(
      'a',
      { apply: objects.draft('a', { spec: { size: null } }) },
      as('one'),
    );
    expect(refused).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'spec.size' }] } } });
  });

  it('of another kind is 400, and one of a field that is not declared is 500', async () => {
    const objects = (await server())(things);
    const other = await objects.patch('a', { apply: { ...objects.draft('a'), kind: 'Other' } }, as('one'));
    const unknown = await objects.patch('a', { apply: objects.draft('a', { spec: { x: 1 } }) }, as('one'));
    expect([other.status, unknown.status]).toEqual([400, 500]);
  });

  it('of an unknown uid is 409', async () => {
    const objects = (await server())(things);
    const body = objects.draft('a', { metadata: { uid: 'u' } });
    expect((await objects.patch('a', { apply: body }, as('one'))).status).toBe(409);
  });
});

describe('an object with untrackable owners', () => {
  it('is stored without owners, and rejects an apply', async () => {
    const objects = (await server())(things);
    const created = await objects.post(objects.draft('a', { spec: { maps: [{ a: '1' }] } }), {
      fieldManager: 'author',
    });
    expect([created.status, owners(created)]).toEqual([201, []]);
    const refused = await objects.patch('a', { apply: objects.draft('a', { spec: { size: 1 } }) }, as('one'));
    expect(refused.status).toBe(500);
  });
});

it('the parts that every object of a built-in kind has are without owner', async () => {
  const objects = (await server())(resources.leases);
  const created = await objects.post(objects.draft('a', { spec: { holderIdentity: 'x' } }), {
    fieldManager: 'author',
  });
  expect(owners(created)).toEqual([['author Update v1', true, { 'f:spec': { 'f:holderIdentity': {} } }]]);
});

describe('managedFields in an update of a built-in kind', () => {
  it('clear the record with an empty list, until the next apply', async () => {
    const objects = (await server())(resources.configMaps);
    await objects.post(objects.draft('a', { data: { x: '1' } }), { fieldManager: 'author' });
    const cleared = await objects.patch('a', { merge: { metadata: { managedFields: [] } } }, as('editor'));
    const updated = await objects.patch('a', { merge: { data: { y: '1' } } }, as('editor'));
    expect([owners(cleared), owners(updated)]).toEqual([[], []]);
    const applied = await objects.patch('a', { apply: objects.draft('a', { data: { z: '1' } }) }, as('one'));
    expect(owners(applied)).toEqual([
      ['one Apply v1', true, { 'f:data': { 'f:z': {} } }],
      ['before-first-apply Update v1', true, { 'f:data': { '.': {}, 'f:x': {}, 'f:y': {} } }],
    ]);
  });

  it('are ignored when invalid', async () => {
    const objects = (await server())(resources.configMaps);
    await objects.post(objects.draft('a', { data: { x: '1' } }), { fieldManager: 'author' });
    const metadata = { managedFields: [{ manager: 'x', operation: 'Other' }] };
    expect(owners(await objects.patch('a', { merge: { metadata } }, as('editor')))).toEqual([
      ['author Update v1', true, { 'f:data': { '.': {}, 'f:x': {} } }],
    ]);
  });
});
