/** Answers to invalid requests: the code, the reason, the details. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const spec = { size: 1 };

export const errorsCases: readonly Case[] = [
  {
    rule: 'a read of a missing object is 404 NotFound with its name and resource',
    run: async ({ widgets, configMaps }) => {
      const widget = await widgets.get('a');
      expectFailure(widget, { code: 404, reason: 'NotFound' });
      expect(widget.body).toMatchObject({
        details: { name: 'a', group: 'contract.muster.dev', kind: 'widgets' },
      });
      const map = await configMaps.get('a');
      expectFailure(map, { code: 404, reason: 'NotFound' });
      expect(map.body).toMatchObject({ details: { name: 'a', kind: 'configmaps' } });
    },
  },
  {
    rule: 'a resource or group that is not served is 404',
    run: async ({ target, namespace }) => {
      for (const path of [
        '/apis/contract.muster.dev/v1/nothings',
        '/apis/contract.muster.dev/v9/widgets',
        '/apis/nothing.muster.dev/v1/widgets',
        `/api/v1/namespaces/${namespace}/nothings`,
      ]) {
        expect(await target.request({ method: 'GET', path })).toMatchObject({ status: 404 });
      }
    },
  },
  {
    rule: 'a resource or subresource that a group does not have is 404 with details that name nothing',
    run: async ({ target, namespace }) => {
      for (const path of [`/api/v1/namespaces/${namespace}/pods/a/nothing`, '/apis/apps/v1/nothings']) {
        const answer = await target.request({ method: 'GET', path });
        expectFailure(answer, { code: 404, reason: 'NotFound' });
        expect(answer.body).toHaveProperty('details', {});
      }
    },
  },
  {
    rule: 'an unsupported verb on the path of a builtin is 405 MethodNotAllowed',
    run: async ({ configMaps, target }) => {
      const refused = { code: 405, reason: 'MethodNotAllowed' };
      const whole = { path: configMaps.path(), body: configMaps.draft('a') };
      expectFailure(await target.request({ ...whole, method: 'PUT' }), refused);
      const named = { path: configMaps.path('a'), body: configMaps.draft('a') };
      expectFailure(await target.request({ ...named, method: 'POST' }), refused);
    },
  },
  {
    rule: 'an update of a whole collection of custom resources is 400',
    run: async ({ widgets, target }) => {
      const body = widgets.draft('a', { spec });
      const refused = await target.request({ method: 'PUT', path: widgets.path(), body });
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a body that is not JSON is 400',
    run: async ({ widgets, configMaps }) => {
      for (const collection of [widgets, configMaps]) {
        const refused = await collection.post('{"apiVersion":');
        expectFailure(refused, { code: 400, reason: 'BadRequest' });
      }
    },
  },
  {
    rule: 'a body of an unknown content type is 415',
    run: async ({ widgets, configMaps, target }) => {
      for (const collection of [widgets, configMaps]) {
        const refused = await target.request({
          method: 'POST',
          path: collection.path(),
          body: 'a',
          contentType: 'text/plain',
        });
        expectFailure(refused, { code: 415, reason: 'UnsupportedMediaType' });
      }
    },
  },
  {
    rule: 'a request for an unknown answer format is 406',
    run: async ({ widgets, target }) => {
      const refused = await target.request({ method: 'GET', path: widgets.path(), accept: 'text/plain' });
      expectFailure(refused, { code: 406, reason: 'NotAcceptable' });
    },
  },
  {
    rule: 'a body may be YAML',
    run: async ({ widgets, target }) => {
      const body = `apiVersion: ${widgets.apiVersion}\nkind: Widget\nmetadata:\n  name: a\nspec:\n  size: 3\n`;
      const request = { method: 'POST', path: widgets.path(), body } as const;
      const created = await target.request({ ...request, contentType: 'application/yaml' });
      expect(objectIn(created, 201).spec).toMatchObject({ size: 3 });
    },
  },
  {
    rule: 'an error names the resource for a conflict and the kind for an invalid object',
    run: async ({ widgets, configMaps }) => {
      const created = objectIn(await widgets.post(widgets.draft('a', { spec })), 201);
      objectIn(await widgets.put('a', { ...created, spec: { size: 2 } }));
      const conflict = await widgets.put('a', { ...created, spec: { size: 3 } });
      expect(conflict.body).toMatchObject({
        details: { name: 'a', group: 'contract.muster.dev', kind: 'widgets' },
      });
      const invalid = await widgets.post(widgets.draft('b', { spec: { size: 99 } }));
      expect(invalid.body).toMatchObject({
        details: { name: 'b', group: 'contract.muster.dev', kind: 'Widget' },
      });
      const builtin = await configMaps.post(configMaps.draft('A'));
      expect(builtin.body).toMatchObject({ details: { name: 'A', kind: 'ConfigMap' } });
    },
  },
  {
    rule: 'a body that is an empty object is 400 for a custom resource and 422 for a builtin',
    run: async ({ widgets, configMaps }) => {
      expectFailure(await widgets.post({}), { code: 400, reason: 'BadRequest' });
      expectFailure(await configMaps.post({}), { code: 422, reason: 'Invalid', fields: ['metadata.name'] });
    },
  },
  {
    rule: 'a list where an object is expected is 400',
    run: async ({ widgets, configMaps }) => {
      for (const collection of [widgets, configMaps]) {
        expectFailure(await collection.post([1, 2]), { code: 400, reason: 'BadRequest' });
      }
    },
  },
];
