/** ConfigMaps and Secrets: data in text and in bytes, and immutability. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

export const configMapsAndSecretsCases: readonly Case[] = [
  {
    rule: 'the stringData of a Secret is merged into data, takes precedence, and is never returned',
    run: async ({ secrets }) => {
      const draft = secrets.draft('a', {
        data: { x: 'b2xk', y: 'eQ==' },
        stringData: { x: 'new', z: 'zed' },
      });
      const created = objectIn(await secrets.post(draft), 201);
      expect(created.data).toEqual({ x: 'bmV3', y: 'eQ==', z: 'emVk' });
      expect(created).not.toHaveProperty('stringData');
      const patched = objectIn(await secrets.patch('a', { merge: { stringData: { y: 'yes' } } }));
      expect(patched.data).toEqual({ x: 'bmV3', y: 'eWVz', z: 'emVk' });
      expect(objectIn(await secrets.get('a'))).toEqual(patched);
    },
  },
  {
    rule: 'data of a Secret that is not base64 is 400',
    run: async ({ secrets }) => {
      const refused = await secrets.post(secrets.draft('a', { data: { x: '*not base64*' } }));
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a Secret is Opaque by default, and its type cannot be changed',
    run: async ({ secrets }) => {
      expect(objectIn(await secrets.post(secrets.draft('a')), 201).type).toBe('Opaque');
      const refused = await secrets.patch('a', { merge: { type: 'contract/x' } });
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['type'] });
    },
  },
  {
    rule: 'a Secret of type kubernetes.io/tls needs its certificate and key',
    run: async ({ secrets }) => {
      const refused = await secrets.post(secrets.draft('a', { type: 'kubernetes.io/tls' }));
      expectFailure(refused, {
        code: 422,
        reason: 'Invalid',
        fields: ['data[tls.crt]', 'data[tls.key]'],
      });
    },
  },
  {
    rule: 'the data of an immutable ConfigMap or Secret cannot be changed, its labels can',
    run: async ({ configMaps, secrets }) => {
      for (const collection of [configMaps, secrets]) {
        objectIn(await collection.post(collection.draft('a', { data: { x: 'MQ==' }, immutable: true })), 201);
        const refused = await collection.patch('a', { merge: { data: { x: 'Mg==' } } });
        expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['data'] });
        const back = await collection.patch('a', { merge: { immutable: false } });
        expectFailure(back, { code: 422, reason: 'Invalid', fields: ['immutable'] });
        const labelled = await collection.patch('a', { merge: { metadata: { labels: { l: '1' } } } });
        expect(objectIn(labelled).metadata.labels).toEqual({ l: '1' });
      }
    },
  },
  {
    rule: 'an immutable ConfigMap can be deleted',
    run: async ({ configMaps }) => {
      objectIn(await configMaps.post(configMaps.draft('a', { immutable: true })), 201);
      expect(await configMaps.delete('a')).toMatchObject({ status: 200 });
    },
  },
  {
    rule: 'a key of a ConfigMap is in data or in binaryData, not in both',
    run: async ({ configMaps }) => {
      const draft = configMaps.draft('a', { data: { x: '1' }, binaryData: { x: 'MQ==' } });
      const refused = await configMaps.post(draft);
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['data[x]'] });
    },
  },
  {
    rule: 'a key of a ConfigMap with a space is 422',
    run: async ({ configMaps }) => {
      const refused = await configMaps.post(configMaps.draft('a', { data: { 'a b': '1' } }));
      expectFailure(refused, { code: 422, reason: 'Invalid', fields: ['data[a b]'] });
    },
  },
  {
    rule: 'a value of a ConfigMap that is not text is 400',
    run: async ({ configMaps }) => {
      const refused = await configMaps.post(configMaps.draft('a', { data: { x: 1 } }));
      expectFailure(refused, { code: 400, reason: 'BadRequest' });
    },
  },
  {
    rule: 'a ConfigMap or a Secret holds at most a mebibyte, and binary data counts with its decoded size',
    run: async ({ configMaps, secrets }) => {
      const mebibyte = 'x'.repeat(1024 * 1024);
      const tooLong = { code: 422, reason: 'Invalid', causes: ['FieldValueTooLong'] } as const;
      objectIn(await configMaps.post(configMaps.draft('full', { data: { a: mebibyte } })), 201);
      const bytes = { a: Buffer.from(mebibyte).toString('base64') };
      objectIn(await configMaps.post(configMaps.draft('bytes', { binaryData: bytes })), 201);
      objectIn(await secrets.post(secrets.draft('full', { data: bytes })), 201);
      const map = configMaps.draft('over', { data: { a: mebibyte }, binaryData: { b: 'AA==' } });
      expectFailure(await configMaps.post(map), tooLong);
      const secret = secrets.draft('over', { stringData: { a: mebibyte, b: 'x' } });
      expectFailure(await secrets.post(secret), { ...tooLong, fields: ['data'] });
    },
  },
];
