/** JSON patch (RFC 6902). */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1, steps: ['one', 'two'] };

export const patchJsonCases: readonly Case[] = [
  {
    rule: 'a JSON patch adds, replaces, removes, moves and copies, in order',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a', { data: { a: '1', b: '2', c: '3' } })), 201);
      const json = [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/d', value: '4' },
        { op: 'replace', path: '/data/a', value: '9' },
        { op: 'remove', path: '/data/b' },
        { op: 'move', from: '/data/c', path: '/data/e' },
        { op: 'copy', from: '/data/a', path: '/data/f' },
      ];
      const patched = objectIn(await configMaps.patch('a', { json }));
      expect(patched.data).toEqual({ a: '9', d: '4', e: '3', f: '9' });
    },
  },
  {
    rule: 'a JSON patch reaches into lists, with - for the end',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const json = [
        { op: 'add', path: '/spec/steps/-', value: 'three' },
        { op: 'remove', path: '/spec/steps/0' },
        { op: 'add', path: '/spec/steps/0', value: 'zero' },
      ];
      expect(objectIn(await widgets.patch('a', { json })).spec).toMatchObject({
        steps: ['zero', 'two', 'three'],
      });
    },
  },
  {
    rule: 'a path is escaped with ~1 for a slash and ~0 for a tilde',
    run: async ({ widgets }) => {
      const metadata = { labels: { 'a.b/c': '1' } };
      objectIn(await widgets.post(widgets.draft('a', { metadata, spec })), 201);
      const json = [{ op: 'replace', path: '/metadata/labels/a.b~1c', value: '2' }];
      expect(objectIn(await widgets.patch('a', { json })).metadata.labels).toEqual({ 'a.b/c': '2' });
    },
  },
  {
    rule: 'a failed test operation is 422 and no part of the patch is applied',
    run: async ({ widgets }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const json = [
        { op: 'replace', path: '/spec/size', value: 2 },
        { op: 'test', path: '/spec/steps/0', value: 'other' },
      ];
      expectFailure(await widgets.patch('a', { json }), { code: 422, reason: 'Invalid' });
      expect(objectIn(await widgets.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'a test of the revision works as an optimistic lock',
    run: async ({ widgets }) => {
      const { resourceVersion } = objectIn(await widgets.post(widgets.draft('a', { spec })), 201).metadata;
      const json = [
        { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
        { op: 'replace', path: '/spec/size', value: 2 },
      ];
      expect(objectIn(await widgets.patch('a', { json })).spec).toMatchObject({ size: 2 });
      expectFailure(await widgets.patch('a', { json }), { code: 422, reason: 'Invalid' });
    },
  },
  {
    rule: 'a missing path is 422 for remove, below a missing parent and beyond a list',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      for (const operation of [
        { op: 'remove', path: '/spec/code' },
        { op: 'replace', path: '/spec/limits/hard', value: 1 },
        { op: 'add', path: '/metadata/labels/a', value: 'x' },
        { op: 'add', path: '/spec/steps/9', value: 'x' },
      ]) {
        const refused = await widgets.patch('a', { json: [operation] });
        expectFailure(refused, { code: 422, reason: 'Invalid' });
      }
    },
  },
  {
    rule: 'a replace of a missing field adds the field',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const json = [{ op: 'replace', path: '/spec/code', value: 'x' }];
      expect(objectIn(await widgets.patch('a', { json })).spec).toMatchObject({ code: 'x' });
    },
  },
  {
    rule: 'a JSON patch that is not a list of operations is 400',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const refused = await widgets.patch('a', { json: { spec: { size: 2 } } });
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'pruning, defaulting and validation run on the result of a JSON patch',
    run: async ({ widgets }) => {
      objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      const json = [
        { op: 'add', path: '/spec/unknown', value: true },
        { op: 'remove', path: '/spec/finish' },
      ];
      const patched = objectIn(await widgets.patch('a', { json }));
      expect(patched.spec).toMatchObject({ finish: 'matt' });
      expect(patched.spec).not.toHaveProperty('unknown');
      const refused = await widgets.patch('a', { json: [{ op: 'remove', path: '/spec/size' }] });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['spec.size'] });
    },
  },
  {
    rule: 'a JSON patch of a missing object is 404',
    run: async ({ widgets }) => {
      const json = [{ op: 'add', path: '/spec/size', value: 2 }];
      expectFailure(await widgets.patch('a', { json }), { code: 404, reason: 'NotFound' });
    },
  },
  {
    rule: 'a JSON patch may replace the whole object, whose identity must match the path',
    run: async ({ leases }) => {
      const created = objectIn(await leases.post(leases.draft('a')), 201);
      const whole = (value: unknown) => leases.patch('a', { json: [{ op: 'replace', path: '', value }] });
      expectFailure(await whole({}), { code: 400, reason: 'BadRequest' });
      expectFailure(await whole('a text'), { code: 422, reason: 'Invalid' });
      const { resourceVersion } = created.metadata;
      const labels = { exchanged: 'yes' };
      const draft = leases.draft('a', { metadata: { name: 'a', resourceVersion, labels } });
      expect(objectIn(await whole(draft)).metadata.labels).toEqual(labels);
    },
  },
  {
    rule: 'copies in a JSON patch may not add up to more than the body limit',
    run: async ({ configMaps }) => {
      const data = { a: 'x'.repeat(1000) };
      const created = objectIn(await configMaps.post(configMaps.draft('a', { data })), 201);
      const copies = Array.from({ length: 40 }, (_, index) => ({
        op: 'copy',
        from: '/data',
        path: `/data/k${index}`,
      }));
      expectFailure(await configMaps.patch('a', { json: copies }), { code: 422, reason: 'Invalid' });
      expect(objectIn(await configMaps.get('a'))).toEqual(created);
    },
  },
  {
    rule: 'copies in a JSON patch count even when they are removed again',
    run: async ({ configMaps }) => {
      const created = objectIn(
        await configMaps.post(configMaps.draft('a', { data: { a: 'x'.repeat(1_000_000) } })),
        201,
      );
      const backAndForth = [
        { op: 'copy', from: '/data/a', path: '/data/b' },
        { op: 'remove', path: '/data/b' },
      ];
      const times = (count: number): readonly object[] =>
        Array.from({ length: count }, () => backAndForth).flat();
      expect(objectIn(await configMaps.patch('a', { json: times(3) }))).toEqual(created);
      expectFailure(await configMaps.patch('a', { json: times(4) }), { code: 422, reason: 'Invalid' });
    },
  },
  {
    rule: 'an operation without a value uses null',
    run: async ({ leases }) => {
      const held = { holderIdentity: 'me' };
      objectIn(await leases.post(leases.draft('a', { spec: held })), 201);
      const json = [{ op: 'add', path: '/spec' }];
      expect(objectIn(await leases.patch('a', { json })).spec).toEqual({});
    },
  },
  {
    rule: 'only an index or - addresses a list in a JSON patch, and a negative index counts from the end',
    run: async ({ configMaps }) => {
      const finalizers = ['a.b/a', 'a.b/b', 'a.b/c'];
      objectIn(await configMaps.post(configMaps.draft('a', { metadata: { name: 'a', finalizers } })), 201);
      for (const key of ['length', 'x', '', '1.0', '4', '-5', '__proto__']) {
        const json = [{ op: 'add', path: `/metadata/finalizers/${key}`, value: 'a.b/x' }];
        expectFailure(await configMaps.patch('a', { json }), { code: 422, reason: 'Invalid' });
      }
      const json = [
        { op: 'add', path: '/metadata/finalizers/-', value: 'a.b/d' },
        { op: 'replace', path: '/metadata/finalizers/-4', value: 'a.b/e' },
        { op: 'remove', path: '/metadata/finalizers/1' },
      ];
      expect(objectIn(await configMaps.patch('a', { json })).metadata.finalizers).toEqual([
        'a.b/e',
        'a.b/c',
        'a.b/d',
      ]);
    },
  },
];
