/** Services and Endpoints: defaults, allocated addresses and ports, validation. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { namesIn, objectIn, type KubeObject } from '../kube-object.ts';

const anIp = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/);
const aNodePort = expect.any(Number);
const port = { port: 80 };
const invalid = { code: 422, reason: 'Invalid' };
const ordinary = {
  clusterIP: anIp,
  clusterIPs: [anIp],
  internalTrafficPolicy: 'Cluster',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  sessionAffinity: 'None',
  type: 'ClusterIP',
};
const wholePort = { ...port, protocol: 'TCP', targetPort: 80 };

function ipOf({ spec }: KubeObject): string {
  return String(Reflect.get(Object(spec), 'clusterIP'));
}

function nodePortOf({ spec }: KubeObject): number {
  const ports: unknown = Reflect.get(Object(spec), 'ports');
  return Number(Reflect.get(Object(Array.isArray(ports) ? ports[0] : {}), 'nodePort'));
}

export const servicesCases: readonly Case[] = [
  {
    rule: 'a Service gets a cluster IP and its defaults',
    run: async ({ services }) => {
      const draft = services.draft('a', { spec: { ports: [port], selector: { app: 'x' } } });
      const created = objectIn(await services.post(draft), 201);
      expect(created.spec).toEqual({ ...ordinary, ports: [wholePort], selector: { app: 'x' } });
      expect(created.status).toEqual({ loadBalancer: {} });
      expect(created.metadata).not.toHaveProperty('generation');
      expect(Reflect.get(Object(created.spec), 'clusterIPs')).toEqual([ipOf(created)]);
    },
  },
  {
    rule: 'the allocated address of a Service has no field manager',
    run: async ({ services }) => {
      const created = objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const [owner] = created.metadata.managedFields ?? [];
      expect(owner?.fieldsV1).toEqual({
        'f:spec': {
          'f:internalTrafficPolicy': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': {
              '.': {},
              'f:port': {},
              'f:protocol': {},
              'f:targetPort': {},
            },
          },
          'f:sessionAffinity': {},
          'f:type': {},
        },
      });
    },
  },
  {
    rule: 'a headless or ExternalName Service gets its defaults',
    run: async ({ services }) => {
      const of = async (name: string, spec: unknown): Promise<unknown> =>
        objectIn(await services.post(services.draft(name, { spec })), 201).spec;
      const headless = { ...ordinary, clusterIP: 'None', clusterIPs: ['None'] };
      expect(await of('any', { clusterIP: 'None' })).toEqual({
        ...headless,
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
      });
      const selector = { app: 'x' };
      expect(await of('some', { clusterIP: 'None', selector })).toEqual({ ...headless, selector });
      expect(await of('name', { type: 'ExternalName', externalName: 'a.b' })).toEqual({
        type: 'ExternalName',
        externalName: 'a.b',
        sessionAffinity: 'None',
      });
    },
  },
  {
    rule: 'a NodePort or LoadBalancer Service gets a port on every Node',
    run: async ({ services }) => {
      const spec = { type: 'LoadBalancer', sessionAffinity: 'ClientIP', ports: [port] };
      const created = objectIn(await services.post(services.draft('a', { spec })), 201);
      expect(created.spec).toEqual({
        ...ordinary,
        ...spec,
        ports: [{ ...wholePort, nodePort: aNodePort }],
        allocateLoadBalancerNodePorts: true,
        externalTrafficPolicy: 'Cluster',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      });
      expect(nodePortOf(created)).toBeGreaterThanOrEqual(30_000);
      const same = { type: 'NodePort', ports: [{ ...port, nodePort: nodePortOf(created) }] };
      const fields = ['spec.ports[0].nodePort'];
      expectFailure(await services.post(services.draft('b', { spec: same })), { ...invalid, fields });
      const outOfRange = { type: 'NodePort', ports: [{ ...port, nodePort: 80 }] };
      expectFailure(await services.post(services.draft('c', { spec: outOfRange })), { ...invalid, fields });
    },
  },
  {
    rule: 'an address belongs to one Service at a time, and can be requested',
    run: async ({ services }) => {
      const created = objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const spec = { ports: [port], clusterIP: ipOf(created) };
      const taken = await services.post(services.draft('b', { spec }));
      expectFailure(taken, { ...invalid, fields: ['spec.clusterIPs'] });
      const strange = services.draft('b', { spec: { ...spec, clusterIP: 'somewhere' } });
      expectFailure(await services.post(strange), { ...invalid, fields: ['spec.clusterIPs[0]'] });
      objectIn(await services.delete('a'));
      expect(ipOf(objectIn(await services.post(services.draft('b', { spec })), 201))).toBe(ipOf(created));
    },
  },
  {
    rule: 'an update that does not name the address of a Service keeps the address, and an update with another address is refused',
    run: async ({ services }) => {
      const created = objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const next = services.draft('a', { spec: { ports: [{ port: 81 }] } });
      const updated = objectIn(await services.put('a', next));
      expect(updated.spec).toEqual({
        ...ordinary,
        clusterIP: ipOf(created),
        clusterIPs: [ipOf(created)],
        ports: [{ port: 81, targetPort: 81, protocol: 'TCP' }],
      });
      // A server draws addresses: the first of these may be the present address.
      const another = ['10.0.0.99', '10.0.0.98'].find((address) => address !== ipOf(created));
      const moved = await services.patch('a', { merge: { spec: { clusterIP: another } } });
      expectFailure(moved, { ...invalid, fields: ['spec.clusterIPs[0]'] });
    },
  },
  {
    rule: 'a Service gets or frees ports and its address when its type changes',
    run: async ({ services }) => {
      const created = objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const to = async (spec: unknown): Promise<KubeObject> =>
        objectIn(await services.patch('a', { merge: { spec } }));
      const opened = await to({ type: 'NodePort' });
      expect(opened.spec).toEqual({
        ...ordinary,
        clusterIP: ipOf(created),
        clusterIPs: [ipOf(created)],
        type: 'NodePort',
        externalTrafficPolicy: 'Cluster',
        ports: [{ ...wholePort, nodePort: aNodePort }],
      });
      const relabelled = objectIn(await services.patch('a', { merge: { metadata: { labels: { x: 'y' } } } }));
      expect(nodePortOf(relabelled)).toBe(nodePortOf(opened));
      expect((await to({ type: 'ClusterIP' })).spec).toEqual(created.spec);
      expect((await to({ type: 'ExternalName', externalName: 'a.b' })).spec).toEqual({
        type: 'ExternalName',
        externalName: 'a.b',
        sessionAffinity: 'None',
        ports: [wholePort],
      });
    },
  },
  {
    rule: 'a Service needs distinct and valid ports',
    run: async ({ services }) => {
      const refused = async (spec: unknown, fields: readonly string[]): Promise<void> =>
        expectFailure(await services.post(services.draft('a', { spec })), { ...invalid, fields });
      await refused({}, ['spec.ports']);
      await refused({ ports: [{ port: 80 }, { port: 81 }] }, ['spec.ports[0].name', 'spec.ports[1].name']);
      const twice = { port: 80, name: 'a' };
      await refused({ ports: [twice, twice] }, ['spec.ports[1]', 'spec.ports[1].name']);
      await refused({ ports: [{ port: 0, targetPort: 70_000, protocol: 'PIGEON' }] }, [
        'spec.ports[0].port',
        'spec.ports[0].protocol',
        'spec.ports[0].targetPort',
      ]);
      await refused({ ports: [{ ...port, nodePort: 30_001 }] }, ['spec.ports[0].nodePort']);
      await refused({ type: 'ExternalName' }, ['spec.externalName']);
      await refused({ type: 'Other', ports: [port] }, ['spec.type']);
      expectFailure(await services.post(services.draft('a.b', { spec: { ports: [port] } })), {
        ...invalid,
        fields: ['metadata.name'],
      });
    },
  },
  {
    rule: 'an update of a missing Service creates the Service, and a delete answers with the Service',
    run: async ({ services }) => {
      objectIn(await services.put('a', services.draft('a', { spec: { ports: [port] } })), 201);
      expect(objectIn(await services.delete('a'))).toMatchObject({
        kind: 'Service',
        metadata: { name: 'a' },
      });
    },
  },
  {
    rule: 'Services are selected by their type and their address',
    run: async ({ services }) => {
      const a = objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const spec = { type: 'ExternalName', externalName: 'a.b' };
      objectIn(await services.post(services.draft('b', { spec })), 201);
      expect(namesIn(await services.list({ fieldSelector: 'spec.type=ExternalName' }))).toEqual(['b']);
      expect(namesIn(await services.list({ fieldSelector: `spec.clusterIP=${ipOf(a)}` }))).toEqual(['a']);
    },
  },
  {
    rule: 'only a Service of type LoadBalancer has ingress addresses in its status',
    run: async ({ services }) => {
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
      const on = { subresource: 'status' };
      objectIn(await services.post(services.draft('a', { spec: { ports: [port] } })), 201);
      const refused = await services.patch('a', { merge: { status } }, on);
      expectFailure(refused, { ...invalid, fields: ['status.loadBalancer.ingress'] });
      const spec = { type: 'LoadBalancer', ports: [port] };
      objectIn(await services.post(services.draft('b', { spec, status })), 201);
      expect(
        objectIn(await services.patch('b', { merge: { status, metadata: { labels: { x: 'y' } } } }, on)),
      ).toMatchObject({
        metadata: { labels: { x: 'y' } },
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } },
      });
    },
  },
  {
    rule: 'an update can create Endpoints, and their ports default to TCP',
    run: async ({ endpoints }) => {
      const subsets = [{ addresses: [{ ip: '10.1.1.2' }, { ip: '10.1.1.1' }], ports: [port] }];
      const created = objectIn(await endpoints.put('a', endpoints.draft('a', { subsets })), 201);
      expect(created).toMatchObject({
        subsets: [{ ...subsets[0], ports: [{ port: 80, protocol: 'TCP' }] }],
      });
      objectIn(await endpoints.put('a', endpoints.draft('a')));
      expect((await endpoints.delete('a')).body).toMatchObject({ kind: 'Status', status: 'Success' });
    },
  },
  {
    rule: 'Endpoints need valid addresses, no loopback, and distinct valid ports',
    run: async ({ endpoints }) => {
      const refused = async (subset: unknown, fields: readonly string[]): Promise<void> =>
        expectFailure(await endpoints.post(endpoints.draft('a', { subsets: [subset] })), {
          ...invalid,
          fields,
        });
      await refused({ addresses: [{ ip: '127.0.0.1' }] }, ['subsets[0].addresses[0].ip']);
      await refused({ notReadyAddresses: [{ ip: 'x' }] }, ['subsets[0].notReadyAddresses[0].ip']);
      await refused({ ports: [port] }, ['subsets[0]']);
      const addresses = [{ ip: '10.1.1.1' }];
      await refused({ addresses, ports: [{ port: 0 }] }, ['subsets[0].ports[0].port']);
      await refused({ addresses, ports: [{ port: 1 }, { port: 2 }] }, [
        'subsets[0].ports[0].name',
        'subsets[0].ports[1].name',
      ]);
    },
  },
];
