/** The Service of the API server itself: created when the server listens, and restored after changes. */
import { expect, it } from 'vitest';
import { VirtualClock } from '../../../../lab/contracts/kubernetes-api/virtual-clock.ts';
import { ownIdentity } from '../auth/identity.ts';
import type { ApiRequest } from '../request.ts';
import { ApiServer } from '../server.ts';

const address = { ip: '127.0.0.1', port: 6443 };
const service = '/api/v1/namespaces/default/services/kubernetes';
const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';

function start() {
  const clock = new VirtualClock(0);
  const server = new ApiServer({ clock, random: { next: () => 0 }, tokenSecret: new Uint8Array(32) });
  const ask = (method: ApiRequest['method'], path: string, body?: ApiRequest['body']): unknown => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = server.handle({ identity: ownIdentity, method, path, query: {}, body, contentType });
    clock.runDue();
    return 'body' in answer ? answer.body : answer;
  };
  return { server, ask };
}

function listening(): ReturnType<typeof start> {
  const started = start();
  started.server.publishAddress(address);
  return started;
}

const wanted = {
  service: { spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443 }] } },
  endpoints: { subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: 6443 }] }] },
  slice: {
    metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
    ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
  },
};

it('publishes where the server listens as a Service, Endpoints and an EndpointSlice', () => {
  const { ask } = listening();
  const found = { service: ask('GET', service), endpoints: ask('GET', endpoints), slice: ask('GET', slice) };
  expect(found).toMatchObject(wanted);
});

it('restores deleted and changed objects', () => {
  const { ask } = listening();
  ask('DELETE', service);
  ask('DELETE', slice);
  ask('PATCH', endpoints, { subsets: null });
  const found = { service: ask('GET', service), endpoints: ask('GET', endpoints), slice: ask('GET', slice) };
  expect(found).toMatchObject(wanted);
  ask('PATCH', service, { spec: { ports: [{ name: 'https', port: 443, targetPort: 1 }] } });
  expect(ask('GET', service)).toMatchObject(wanted.service);
});

it('publishes the new port over the state of an earlier server', () => {
  const { server, ask } = start();
  const metadata = { name: 'kubernetes' };
  const folder = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const spec = { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 1111 }] };
  ask('POST', '/api/v1/namespaces/default/services', { metadata, spec });
  ask('POST', folder, {
    ...wanted.slice,
    metadata: { ...wanted.slice.metadata, ...metadata },
    endpoints: [{ addresses: ['10.0.0.1'] }],
  });
  server.publishAddress(address);
  const found = { service: ask('GET', service), endpoints: ask('GET', endpoints), slice: ask('GET', slice) };
  expect(found).toMatchObject(wanted);
});

it('gives its address to no other Service', () => {
  const { ask } = listening();
  ask('DELETE', service);
  const spec = { ports: [{ port: 80 }] };
  const other = ask('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'a' }, spec });
  expect(other).toMatchObject({ spec: { clusterIP: '10.96.0.2' } });
});
