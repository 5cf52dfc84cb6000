/** Deployments: storage, defaults, validation and scale. Reconciling them is the task of controllers. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';

const invalid = { code: 422, reason: 'Invalid' };
const labels = { app: 'x' };
const selector = { matchLabels: labels };
const containers = [{ name: 'main', image: 'none:1' }];
const template = { metadata: { labels }, spec: { containers } };
const spec = { selector, template };

/** A template with one container, after defaulting. */
const wholeTemplate = {
  metadata: { labels },
  spec: {
    containers: [
      {
        name: 'main',
        image: 'none:1',
        imagePullPolicy: 'IfNotPresent',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ],
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  },
};
const whole = {
  replicas: 1,
  selector,
  template: wholeTemplate,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
  revisionHistoryLimit: 10,
  progressDeadlineSeconds: 600,
};

export const deploymentsCases: readonly Case[] = [
  {
    rule: 'a Deployment and its template are defaulted',
    run: async ({ deployments }) => {
      const created = objectIn(
        await deployments.post(deployments.draft('a', { spec, status: { replicas: 3 } })),
        201,
      );
      expect(created.spec).toEqual(whole);
      expect(created.status).toEqual({});
      expect(created.metadata.generation).toBe(1);
    },
  },
  {
    rule: 'a Deployment with all fields keeps their values, and zero is a value',
    run: async ({ deployments }) => {
      const said = {
        ...whole,
        replicas: 0,
        strategy: { type: 'Recreate' },
        revisionHistoryLimit: 0,
        progressDeadlineSeconds: 5,
        minReadySeconds: 0,
        paused: false,
      };
      const { minReadySeconds, paused, ...kept } = said;
      expect([minReadySeconds, paused]).toEqual([0, false]);
      expect(objectIn(await deployments.post(deployments.draft('a', { spec: said })), 201).spec).toEqual(
        kept,
      );
    },
  },
  {
    rule: 'the writer of a Deployment owns its fields with their defaults, per item in its keyed lists',
    run: async ({ deployments }) => {
      const ports = [{ containerPort: 80 }];
      const pod = { containers: [{ name: 'main', image: 'none:1', ports }] };
      const draft = deployments.draft('a', { spec: { selector, template: { ...template, spec: pod } } });
      const [owner] = objectIn(await deployments.post(draft), 201).metadata.managedFields ?? [];
      expect(owner?.fieldsV1).toEqual({
        'f:spec': {
          'f:progressDeadlineSeconds': {},
          'f:replicas': {},
          'f:revisionHistoryLimit': {},
          'f:selector': {},
          'f:strategy': {
            'f:rollingUpdate': { '.': {}, 'f:maxSurge': {}, 'f:maxUnavailable': {} },
            'f:type': {},
          },
          'f:template': {
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"main"}': {
                  '.': {},
                  'f:image': {},
                  'f:imagePullPolicy': {},
                  'f:name': {},
                  'f:ports': {
                    '.': {},
                    'k:{"containerPort":80,"protocol":"TCP"}': {
                      '.': {},
                      'f:containerPort': {},
                      'f:protocol': {},
                    },
                  },
                  'f:resources': {},
                  'f:terminationMessagePath': {},
                  'f:terminationMessagePolicy': {},
                },
              },
              'f:dnsPolicy': {},
              'f:restartPolicy': {},
              'f:schedulerName': {},
              'f:securityContext': {},
              'f:terminationGracePeriodSeconds': {},
            },
          },
        },
      });
    },
  },
  {
    rule: 'the selector of a Deployment must match its template, and is immutable',
    run: async ({ deployments }) => {
      const post = (given: unknown) => deployments.post(deployments.draft('a', { spec: given }));
      expectFailure(await post({ template }), {
        ...invalid,
        fields: ['spec.selector', 'spec.template.metadata.labels'],
      });
      expectFailure(await post({ selector: {}, template }), { ...invalid, fields: ['spec.selector'] });
      const other = { matchLabels: { app: 'y' } };
      expectFailure(await post({ selector: other, template }), {
        ...invalid,
        fields: ['spec.template.metadata.labels'],
      });
      objectIn(await post(spec), 201);
      const merge = {
        spec: { selector: { matchLabels: { b: 'c' } }, template: { metadata: { labels: { b: 'c' } } } },
      };
      expectFailure(await deployments.patch('a', { merge }), { ...invalid, fields: ['spec.selector'] });
    },
  },
  {
    rule: 'a Deployment with a template, numbers or a strategy that are invalid is refused',
    run: async ({ deployments }) => {
      const refused = async (given: object, fields: readonly string[]): Promise<void> => {
        const answer = await deployments.post(deployments.draft('a', { spec: { ...spec, ...given } }));
        expectFailure(answer, { ...invalid, fields });
      };
      await refused({ replicas: -1 }, ['spec.replicas']);
      await refused({ template: { ...template, spec: { containers: [{ name: 'main' }] } } }, [
        'spec.template.spec.containers[0].image',
      ]);
      await refused({ template: { ...template, spec: { containers, restartPolicy: 'Never' } } }, [
        'spec.template.spec.restartPolicy',
      ]);
      await refused({ template: { ...template, spec: { containers, activeDeadlineSeconds: 5 } } }, [
        'spec.template.spec.activeDeadlineSeconds',
      ]);
      await refused({ strategy: { type: 'Recreate', rollingUpdate: {} } }, ['spec.strategy.rollingUpdate']);
      await refused({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }, [
        'spec.strategy.rollingUpdate.maxUnavailable',
      ]);
      await refused({ strategy: { type: 'Other' } }, ['spec.strategy']);
    },
  },
  {
    rule: 'a status write of a Deployment changes the status and annotations, and neither labels nor spec',
    run: async ({ deployments }) => {
      objectIn(await deployments.post(deployments.draft('a', { spec, metadata: { labels } })), 201);
      const merge = {
        metadata: { labels: { other: '1' }, annotations: { seen: '1' } },
        spec: { replicas: 7 },
        status: { replicas: 3, readyReplicas: 0, conditions: [{ type: 'Available', status: 'True' }] },
      };
      const updated = objectIn(await deployments.patch('a', { merge }, { subresource: 'status' }));
      expect(updated.spec).toEqual(whole);
      expect(updated.metadata).toMatchObject({ annotations: { seen: '1' }, generation: 1 });
      expect(updated.metadata.labels).toEqual(labels);
      expect(updated.status).toEqual({
        replicas: 3,
        conditions: [{ type: 'Available', status: 'True', lastUpdateTime: null, lastTransitionTime: null }],
      });
    },
  },
  {
    rule: 'the scale of a Deployment shows its selector as text and writes its replicas',
    run: async ({ deployments, target }) => {
      const expression = { key: 'app', operator: 'In', values: ['y', 'x'] };
      const both = { ...selector, matchExpressions: [expression] };
      const draft = deployments.draft('a', { spec: { ...spec, selector: both } });
      const { metadata } = objectIn(await deployments.post(draft), 201);
      const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
      const path = deployments.path('a', 'scale');
      expect((await target.request({ method: 'GET', path })).body).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
        spec: { replicas: 1 },
        status: { replicas: 0, selector: 'app=x,app in (x,y)' },
      });
      const on = { subresource: 'scale' };
      objectIn(await deployments.patch('a', { merge: { spec: { replicas: 0 } } }, on));
      const refused = await deployments.patch('a', { merge: { spec: { replicas: -1 } } }, on);
      expectFailure(refused, { ...invalid, fields: ['spec.replicas'] });
      const scaled = objectIn(await deployments.get('a'));
      expect(scaled).toMatchObject({ spec: { replicas: 0 }, metadata: { generation: 2 } });
    },
  },
  {
    rule: 'an update of a Deployment that does not exist is 404, and its delete answers with a Status',
    run: async ({ deployments }) => {
      const draft = deployments.draft('a', { spec });
      expectFailure(await deployments.put('a', draft), { code: 404, reason: 'NotFound' });
      objectIn(await deployments.post(draft), 201);
      objectIn(await deployments.put('a', draft));
      expect((await deployments.delete('a')).body).toMatchObject({ kind: 'Status', status: 'Success' });
    },
  },
  {
    rule: 'a strategic merge patch merges the ports and variables of a container by their keys',
    run: async ({ deployments }) => {
      const env = [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ];
      const ports = [{ containerPort: 80 }, { containerPort: 81 }];
      const pod = { containers: [{ name: 'main', image: 'none', env, ports, args: ['a', 'b'] }] };
      const draft = deployments.draft('a', { spec: { selector, template: { ...template, spec: pod } } });
      objectIn(await deployments.post(draft), 201);
      const changes = {
        name: 'main',
        env: [{ name: 'B', value: '3' }],
        ports: [{ containerPort: 80, $patch: 'delete' }],
        args: ['c'],
      };
      const strategic = { spec: { template: { spec: { containers: [changes] } } } };
      expect(objectIn(await deployments.patch('a', { strategic }))).toMatchObject({
        spec: {
          template: {
            spec: {
              containers: [
                {
                  image: 'none',
                  env: [
                    { name: 'A', value: '1' },
                    { name: 'B', value: '3' },
                  ],
                  ports: [{ containerPort: 81, protocol: 'TCP' }],
                  args: ['c'],
                },
              ],
            },
          },
        },
      });
    },
  },
];
