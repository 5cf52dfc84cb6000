/** Defaults of a new Pod: missing fields are filled in. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { createPod, main, wholeMain, wholeSpec } from '../making-pods.ts';

export const podDefaultsCases: readonly Case[] = [
  {
    rule: 'a Pod gets all its defaults',
    run: async (context) => {
      const created = await createPod(context, { containers: [main] });
      expect(created.spec).toEqual({ ...wholeSpec, containers: [wholeMain] });
      expect(created.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
      expect(created.metadata.generation).toBe(1);
    },
  },
  {
    rule: 'fields that admission adds to a Pod have no field manager',
    run: async (context) => {
      const [owner] = (await createPod(context, { containers: [main] })).metadata.managedFields ?? [];
      expect(owner?.fieldsV1).toEqual({
        'f:spec': {
          'f:automountServiceAccountToken': {},
          'f:containers': {
            'k:{"name":"main"}': {
              '.': {},
              'f:image': {},
              'f:imagePullPolicy': {},
              'f:name': {},
              'f:resources': {},
              'f:terminationMessagePath': {},
              'f:terminationMessagePolicy': {},
            },
          },
          'f:dnsPolicy': {},
          'f:enableServiceLinks': {},
          'f:restartPolicy': {},
          'f:schedulerName': {},
          'f:securityContext': {},
          'f:serviceAccount': {},
          'f:serviceAccountName': {},
          'f:terminationGracePeriodSeconds': {},
        },
      });
    },
  },
  {
    rule: 'an image with the tag latest, or without a tag, is always pulled',
    run: async (context) => {
      const digest = `none@sha256:${'a'.repeat(64)}`;
      const images = [
        'none',
        'none:latest',
        'none:1',
        digest,
        'registry:5000/none',
        `none:latest@${digest.slice(5)}`,
      ];
      const containers = images.map((image, index) => ({ name: `c${index}`, image }));
      const { spec } = await createPod(context, { containers });
      const whole: unknown = Reflect.get(Object(spec), 'containers');
      expect((Array.isArray(whole) ? whole : []).map((one) => Reflect.get(one, 'imagePullPolicy'))).toEqual([
        'Always',
        'Always',
        'IfNotPresent',
        'IfNotPresent',
        'Always',
        'Always',
      ]);
    },
  },
  {
    rule: 'the probes, hooks, ports and variables of a container get their defaults',
    run: async (context) => {
      const busy = {
        ...main,
        ports: [{ containerPort: 80 }],
        livenessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 0 },
        readinessProbe: { tcpSocket: { port: 'web' }, periodSeconds: 3 },
        startupProbe: { grpc: { port: 81 } },
        lifecycle: { preStop: { httpGet: { port: 80 } } },
        env: [
          { name: 'A', value: '' },
          { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        ],
        stdin: false,
      };
      const probe = { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };
      const get = { path: '/', port: 80, scheme: 'HTTP' };
      const { stdin, ...rest } = busy;
      expect(stdin).toBe(false);
      expect((await createPod(context, { containers: [busy] })).spec).toEqual({
        ...wholeSpec,
        containers: [
          {
            ...wholeMain,
            ...rest,
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            livenessProbe: { ...probe, httpGet: get },
            readinessProbe: { ...probe, ...busy.readinessProbe },
            startupProbe: { ...probe, grpc: { port: 81, service: '' } },
            lifecycle: { preStop: { httpGet: get } },
            env: [
              { name: 'A' },
              { name: 'B', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } },
            ],
          },
        ],
      });
    },
  },
  {
    rule: 'the volumes of a Pod get their defaults, and a volume without a type is an emptyDir',
    run: async (context) => {
      const volumes = [
        { name: 'plain' },
        { name: 'config', configMap: { name: 'x' } },
        { name: 'secret', secret: { secretName: 'x' } },
        { name: 'host', hostPath: { path: '/x' } },
        {
          name: 'joined',
          projected: {
            sources: [
              { serviceAccountToken: { path: 'token' } },
              { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
            ],
          },
        },
      ];
      const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.name' };
      expect((await createPod(context, { containers: [main], volumes })).spec).toEqual({
        ...wholeSpec,
        containers: [wholeMain],
        volumes: [
          { name: 'plain', emptyDir: {} },
          { name: 'config', configMap: { name: 'x', defaultMode: 420 } },
          { name: 'secret', secret: { secretName: 'x', defaultMode: 420 } },
          { name: 'host', hostPath: { path: '/x', type: '' } },
          {
            name: 'joined',
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { path: 'token', expirationSeconds: 3600 } },
                { downwardAPI: { items: [{ path: 'name', fieldRef }] } },
              ],
            },
          },
        ],
      });
    },
  },
  {
    rule: 'a limit is also the default request, and quantities have a canonical form',
    run: async (context) => {
      const resources = { limits: { cpu: 0.5, memory: '1024Mi' }, requests: { memory: '0.5Gi' } };
      const first = await createPod(context, { containers: [{ ...main, resources }] });
      expect(first).toMatchObject({
        spec: {
          containers: [
            {
              resources: {
                limits: { cpu: '500m', memory: '1Gi' },
                requests: { cpu: '500m', memory: '512Mi' },
              },
            },
          ],
        },
        status: { qosClass: 'Burstable' },
      });
      await context.pods.delete('a');
      const limits = { cpu: '1', memory: '1Gi' };
      const sure = await createPod(context, { containers: [{ ...main, resources: { limits } }] });
      expect(sure.status).toEqual({ phase: 'Pending', qosClass: 'Guaranteed' });
    },
  },
  {
    rule: 'a Pod with hostNetwork gets host ports, and a given grace period stays',
    run: async (context) => {
      const tolerations = [{ operator: 'Exists' }];
      const containers = [{ ...main, ports: [{ containerPort: 80 }] }];
      const created = await createPod(context, {
        containers,
        tolerations,
        hostNetwork: true,
        priorityClassName: 'system-node-critical',
      });
      expect(created.spec).toEqual({
        ...wholeSpec,
        containers: [{ ...wholeMain, ports: [{ containerPort: 80, hostPort: 80, protocol: 'TCP' }] }],
        tolerations,
        hostNetwork: true,
        priorityClassName: 'system-node-critical',
        priority: 2_000_001_000,
      });
    },
  },
];
