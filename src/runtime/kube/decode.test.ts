import { expect, it } from 'vitest';
import { configMaps } from './builtin-resources.ts';
import { eventOf, objectOf, pageOf } from './decode.ts';

const metadata = { name: 'a', uid: 'uid-a', resourceVersion: '7' };
const body = { metadata: { ...metadata, managedFields: [{ manager: 'someone' }] }, data: { text: 'x' } };

it('what fills a cache comes without managedFields, and is whole otherwise', () => {
  const list = { metadata: { resourceVersion: '7' }, items: [body] };
  const page = pageOf(configMaps, { status: 200, body: list });
  expect(page.items).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text: 'x' } }]);
  const event = eventOf(configMaps, { type: 'ADDED', object: body });
  expect(event).toEqual({ type: 'ADDED', object: { metadata, data: { text: 'x' } } });
});

it('one object that was asked for is as the server sent it', () => {
  expect(objectOf(configMaps, { status: 200, body })).toEqual(body);
});
