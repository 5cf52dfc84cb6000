/** EndpointSlices, and the Service by which a client inside the cluster finds the API server. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { resources } from '../resources.ts';

const invalid = { code: 422, reason: 'Invalid' } as const;
const addressType = 'IPv4';

export const endpointSlicesCases: readonly Case[] = [
  {
    rule: 'a cluster has the Service kubernetes of its own API server in the namespace default',
    run: async ({ of }) => {
      expect(objectIn(await of(resources.services, 'default').get('kubernetes'))).toMatchObject({
        metadata: { labels: { component: 'apiserver', provider: 'kubernetes' } },
        spec: {
          type: 'ClusterIP',
          clusterIP: expect.stringMatching(/\.0\.1$/),
          ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: expect.any(Number) }],
          sessionAffinity: 'None',
        },
      });
    },
  },
  {
    rule: 'ports of an EndpointSlice default to TCP and an empty name, and its generation counts content and labels',
    run: async ({ endpointSlices }) => {
      const endpoints = [{ addresses: ['10.1.1.1'] }];
      const draft = endpointSlices.draft('a', { addressType, endpoints, ports: [{ port: 80 }] });
      expect(objectIn(await endpointSlices.post(draft), 201)).toMatchObject({
        metadata: { generation: 1 },
        endpoints: [{ addresses: ['10.1.1.1'], conditions: {} }],
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
      });
      const noted = await endpointSlices.patch('a', { merge: { metadata: { annotations: { a: 'b' } } } });
      expect(objectIn(noted)).toMatchObject({ metadata: { generation: 1 } });
      const labeled = await endpointSlices.patch('a', { merge: { metadata: { labels: { a: 'b' } } } });
      expect(objectIn(labeled)).toMatchObject({ metadata: { generation: 2 } });
      const emptied = await endpointSlices.patch('a', { merge: { endpoints: [] } });
      expect(objectIn(emptied)).toMatchObject({ metadata: { generation: 3 } });
      expectFailure(await endpointSlices.patch('a', { merge: { addressType: 'IPv6' } }), {
        ...invalid,
        fields: ['addressType'],
      });
    },
  },
  {
    rule: 'an EndpointSlice has addresses of its type, and ports with different names',
    run: async ({ endpointSlices }) => {
      const refused = async (fields: Readonly<Record<string, unknown>>, wrong: readonly string[]) =>
        expectFailure(await endpointSlices.post(endpointSlices.draft('a', { endpoints: [], ...fields })), {
          ...invalid,
          fields: wrong,
        });
      await refused({}, ['addressType']);
      await refused({ addressType: 'x' }, ['addressType']);
      await refused({ addressType, endpoints: [{ addresses: [] }] }, ['endpoints[0].addresses']);
      const addresses = ['127.0.0.1', 'a', '10.1.1.1'].map((one) => ({ addresses: [one] }));
      await refused({ addressType, endpoints: addresses }, [
        'endpoints[0].addresses[0]',
        'endpoints[1].addresses[0]',
      ]);
      const named = { addresses: ['fd00::1'], hostname: 'A_', nodeName: 'B_' };
      await refused({ addressType: 'IPv6', endpoints: [{ addresses: ['10.1.1.1'] }, named] }, [
        'endpoints[0].addresses',
        'endpoints[1].hostname',
        'endpoints[1].nodeName',
      ]);
      await refused({ addressType: 'FQDN', endpoints: [{ addresses: ['_'] }] }, [
        'endpoints[0].addresses[0]',
      ]);
      await refused({ addressType, ports: [{ name: 'A_' }, { name: 'a' }, { name: 'a' }, {}, {}] }, [
        'ports[0].name',
        'ports[2].name',
        'ports[4].name',
      ]);
      await refused({ addressType, ports: [{ protocol: 'x' }] }, ['ports[0].protocol']);
    },
  },
];
