/** The fields of built-in kinds: every field has a type, down to the last level, and one canonical form. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { createPod, postPod } from '../making-pods.ts';

const main = { name: 'main', image: 'none' };
const badRequest = { code: 400, reason: 'BadRequest' };
const onStatus = { subresource: 'status' };

export const builtinFieldsCases: readonly Case[] = [
  {
    rule: 'a misspelt field deep inside a Pod is refused under Strict, and otherwise dropped with a warning',
    run: async (context) => {
      const { pods } = context;
      const wrong = { containers: [{ ...main, imagePullPolizy: 'Always' }], contaners: [] };
      const draft = pods.draft('a', { spec: wrong });
      expectFailure(await pods.post(draft, { fieldValidation: 'Strict' }), badRequest);
      const answer = await postPod(context, wrong);
      expect(objectIn(answer, 201).spec).not.toHaveProperty('contaners');
      expect(answer.headers.warning).toContain('spec.containers[0].imagePullPolizy');
      expect(answer.headers.warning).toContain('spec.contaners');
    },
  },
  {
    rule: 'a value of another type than its field is 400 at any depth',
    run: async (context) => {
      const { services, deployments } = context;
      const limits = (cpu: unknown) => ({ containers: [{ ...main, resources: { limits: { cpu } } }] });
      for (const spec of [
        { containers: 'main' },
        { containers: [{ ...main, args: 'x' }] },
        { containers: [main], hostNetwork: 'yes' },
        { containers: [main], terminationGracePeriodSeconds: 1.5 },
        { containers: [main], priority: 2 ** 40 },
        { containers: [main], nodeSelector: { a: 1 } },
        limits('lots'),
        limits(true),
      ])
        expectFailure(await postPod(context, spec), badRequest);
      const port = { port: 80, targetPort: 1.5 };
      expectFailure(await services.post(services.draft('a', { spec: { ports: [port] } })), badRequest);
      expectFailure(await deployments.post(deployments.draft('a', { spec: [] })), badRequest);
    },
  },
  {
    rule: 'a quantity is returned in its canonical form',
    run: async ({ deployments }) => {
      const pairs = [
        ['0.1', '100m'],
        ['1000m', '1'],
        ['1500m', '1500m'],
        ['1024Ki', '1Mi'],
        ['1.5Gi', '1536Mi'],
        ['512', '512'],
        ['1000000', '1M'],
        ['1e3', '1e3'],
        ['12E2', '1200'],
        ['0', '0'],
        ['0.5Ki', '512'],
        ['1000Ki', '1000Ki'],
        ['1Ei', '1Ei'],
        ['.5', '500m'],
        ['1.25Mi', '1280Ki'],
        // The smallest unit is a thousandth.
        ['100n', '1m'],
        ['0.0000000001', '1m'],
        ['0.0001Ki', '103m'],
        [2, '2'],
        [0.25, '250m'],
      ] as const;
      const containers = pairs.map(([cpu], index) => ({
        name: `c${index}`,
        image: 'none',
        resources: { requests: { cpu } },
      }));
      const labels = { app: 'x' };
      const spec = {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      };
      const whole = objectIn(await deployments.post(deployments.draft('a', { spec })), 201);
      expect(whole).toMatchObject({
        spec: {
          template: {
            spec: { containers: pairs.map(([, cpu]) => ({ resources: { requests: { cpu } } })) },
          },
        },
      });
    },
  },
  {
    rule: 'a time is returned in whole seconds of UTC, and a micro time with six digits',
    run: async ({ coreEvents, namespace, leases }) => {
      const event = coreEvents.draft('a', {
        involvedObject: { namespace },
        firstTimestamp: '2026-01-02T01:00:00.9+01:00',
      });
      expect(objectIn(await coreEvents.post(event), 201)).toMatchObject({
        firstTimestamp: '2026-01-02T00:00:00Z',
        lastTimestamp: null,
        eventTime: null,
        source: {},
        reportingComponent: '',
        reportingInstance: '',
      });
      const spec = { renewTime: '2026-01-02T01:00:00.123456+01:00', holderIdentity: '' };
      expect(objectIn(await leases.post(leases.draft('a', { spec })), 201).spec).toEqual({
        renewTime: '2026-01-02T00:00:00.123456Z',
        holderIdentity: '',
      });
    },
  },
  {
    rule: 'a new Node has all its default fields, and is tainted until it is reported ready',
    run: async ({ nodes, suffix }) => {
      const name = `node-${suffix}`;
      const created = objectIn(await nodes.post(nodes.draft(name)), 201);
      const taints = [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }];
      expect(created.spec).toEqual({ taints });
      expect(created.status).toEqual({
        daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
        nodeInfo: {
          machineID: '',
          systemUUID: '',
          bootID: '',
          kernelVersion: '',
          osImage: '',
          containerRuntimeVersion: '',
          kubeletVersion: '',
          kubeProxyVersion: '',
          operatingSystem: '',
          architecture: '',
        },
      });
      const merge = { spec: { taints: null, podCIDR: '10.1.0.0/24' } };
      expect(objectIn(await nodes.patch(name, { merge })).spec).toEqual({
        podCIDR: '10.1.0.0/24',
        podCIDRs: ['10.1.0.0/24'],
      });
      const moved = await nodes.patch(name, {
        merge: { spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'] } },
      });
      expectFailure(moved, { code: 422, reason: 'Invalid', fields: ['spec.podCIDRs'] });
    },
  },
  {
    rule: 'a kubelet writes labels with the status of a Node, and never its spec',
    run: async ({ nodes, suffix }) => {
      const name = `node-${suffix}`;
      const { spec } = objectIn(await nodes.post(nodes.draft(name)), 201);
      const merge = {
        metadata: { labels: { zone: 'x' } },
        spec: { unschedulable: true },
        status: { capacity: { cpu: 2 } },
      };
      const updated = objectIn(await nodes.patch(name, { merge }, onStatus));
      expect(updated).toMatchObject({
        metadata: { labels: { zone: 'x' } },
        status: { capacity: { cpu: '2' }, allocatable: { cpu: '2' } },
      });
      expect(updated.spec).toEqual(spec);
    },
  },
  {
    rule: 'a kubelet writes the status of a Pod and its labels, and neither its spec, its owners nor its quality',
    run: async (context) => {
      const { pods } = context;
      const { spec } = await createPod(context, { containers: [main] });
      const owner = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'y' };
      const status = {
        phase: 'Running',
        podIP: '10.1.1.1',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }],
      };
      const merge = {
        metadata: { labels: { x: 'y' }, ownerReferences: [owner] },
        spec: { nodeName: 'somewhere' },
        status,
      };
      const updated = objectIn(await pods.patch('a', { merge }, onStatus));
      expect(updated.spec).toEqual(spec);
      expect(updated.metadata).toMatchObject({ labels: { x: 'y' }, generation: 1 });
      expect(updated.metadata).not.toHaveProperty('ownerReferences');
      expect(updated.status).toEqual({
        phase: 'Running',
        qosClass: 'BestEffort',
        podIP: '10.1.1.1',
        podIPs: [{ ip: '10.1.1.1' }],
        conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }],
        containerStatuses: [
          {
            name: 'main',
            ready: true,
            restartCount: 0,
            image: '',
            imageID: '',
            lastState: {},
            state: { running: { startedAt: null } },
          },
        ],
      });
      const better = { merge: { status: { qosClass: 'Guaranteed' } } };
      expectFailure(await pods.patch('a', better, onStatus), {
        code: 422,
        reason: 'Invalid',
        fields: ['status.qosClass'],
      });
    },
  },
  {
    rule: 'the manager of an applied Pod owns list items by their keys, and two managers may own parts of one container',
    run: async (context) => {
      const { pods } = context;
      await createPod(context, { containers: [main] });
      const containers = [{ name: 'main', image: 'newer' }];
      const query = { fieldManager: 'updater', force: 'true' };
      const applied = objectIn(
        await pods.patch('a', { apply: pods.draft('a', { spec: { containers } }) }, { query }),
      );
      expect(applied.spec).toMatchObject({ containers: [{ name: 'main', image: 'newer' }] });
      expect(applied.metadata.managedFields?.find(({ manager }) => manager === 'updater')?.fieldsV1).toEqual({
        'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
      });
      const strange = pods.draft('a', { spec: { containers, contaners: [] } });
      expect(await pods.patch('a', { apply: strange }, { query })).toMatchObject({ status: 500 });
    },
  },
];
