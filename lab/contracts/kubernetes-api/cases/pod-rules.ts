/** Validation of a Pod, and the fields that may change after creation. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { objectIn } from '../kube-object.ts';
import { createPod, main, patience, postPod } from '../making-pods.ts';

const invalid = { code: 422, reason: 'Invalid' };

export const podRulesCases: readonly Case[] = [
  {
    rule: 'a Pod needs containers with unique names and with images, and mounts only its own volumes',
    run: async (context) => {
      const refused = async (spec: Record<string, unknown>, fields: readonly string[]): Promise<void> =>
        expectFailure(await postPod(context, spec), { ...invalid, fields });
      await refused({}, ['spec.containers']);
      await refused({ containers: [{ name: 'A', image: '' }, main, main] }, [
        'spec.containers[0].image',
        'spec.containers[0].name',
        'spec.containers[2].name',
      ]);
      const ports = [{ containerPort: 0 }, { containerPort: 70_000 }];
      const volumeMounts = [{ name: 'nowhere', mountPath: '/x' }];
      await refused({ containers: [{ ...main, ports, volumeMounts, env: [{ name: '' }] }] }, [
        'spec.containers[0].env[0].name',
        'spec.containers[0].ports[0].containerPort',
        'spec.containers[0].ports[1].containerPort',
        'spec.containers[0].volumeMounts[0].name',
      ]);
      await refused({ containers: [main], volumes: [{ name: 'v' }, { name: 'v' }, {}] }, [
        'spec.volumes[1].name',
        'spec.volumes[2].name',
      ]);
      await refused({ containers: [{ ...main, imagePullPolicy: 'Perhaps' }], restartPolicy: 'Perhaps' }, [
        'spec.containers[0].imagePullPolicy',
        'spec.restartPolicy',
      ]);
      await refused({ containers: [main], nodeName: 'A_', activeDeadlineSeconds: 0 }, [
        'spec.activeDeadlineSeconds',
        'spec.nodeName',
      ]);
    },
  },
  {
    rule: 'an update of a Pod may change images, shorten the deadline, add tolerations and remove gates, and nothing else',
    run: async (context) => {
      const { pods } = context;
      const gates = [{ name: 'x.y/a' }, { name: 'x.y/b' }];
      await createPod(context, {
        containers: [main],
        tolerations: [{ key: 'a', operator: 'Exists' }],
        schedulingGates: gates,
      });
      const change = (spec: unknown) => pods.patch('a', { merge: { spec } });
      const refused = async (spec: unknown, fields: readonly string[]): Promise<void> =>
        expectFailure(await change(spec), { ...invalid, fields });
      await refused({ tolerations: [] }, ['spec.tolerations']);
      const tolerations = [
        { key: 'a', operator: 'Exists' },
        { key: 'b', operator: 'Exists' },
      ];
      expect(objectIn(await change({ tolerations })).spec).toMatchObject({
        tolerations: [...tolerations, ...patience],
      });
      await refused({ schedulingGates: [{ name: 'x.y/c' }] }, ['spec.schedulingGates[0].name']);
      objectIn(await change({ nodeSelector: { a: 'b' } }));
      const open = objectIn(await change({ schedulingGates: null, activeDeadlineSeconds: 50 }));
      expect(open.spec).not.toHaveProperty('schedulingGates');
      await refused({ nodeSelector: { a: 'b', c: 'd' } }, ['spec']);
      await refused({ activeDeadlineSeconds: 60 }, ['spec.activeDeadlineSeconds']);
      await refused({ activeDeadlineSeconds: null }, ['spec.activeDeadlineSeconds']);
      await refused({ terminationGracePeriodSeconds: 5 }, ['spec']);
      await refused({ nodeName: 'somewhere' }, ['spec']);
      await refused({ containers: [{ ...main, image: '' }] }, ['spec.containers[0].image']);
    },
  },
];
