/** Admission of a new Pod: its ServiceAccount, its RuntimeClass, its priority. */
import { expect } from 'vitest';
import type { Case } from '../case.ts';
import { expectFailure } from '../failure.ts';
import { createPod, main, patience, postPod, wholeMain, wholeSpec } from '../making-pods.ts';

const tokenPath = '/var/run/secrets/kubernetes.io/serviceaccount';

export const podAdmissionCases: readonly Case[] = [
  {
    rule: 'a Pod with a missing ServiceAccount is refused',
    run: async (context) => {
      const refused = await postPod(context, { serviceAccountName: 'missing', containers: [main] });
      expectFailure(refused, { code: 403, reason: 'Forbidden' });
    },
  },
  {
    rule: 'by default a Pod gets a token volume and the image pull secrets of its ServiceAccount',
    run: async (context) => {
      const { serviceAccounts } = context;
      const imagePullSecrets = [{ name: 'key' }];
      await serviceAccounts.post(serviceAccounts.draft('runner', { imagePullSecrets }));
      const own = [{ name: 'plain', mountPath: tokenPath }];
      const created = await createPod(context, {
        automountServiceAccountToken: undefined,
        containers: [main, { ...main, name: 'other', volumeMounts: own }],
        volumes: [{ name: 'plain' }],
      });
      const name = expect.stringMatching(/^kube-api-access-[a-z0-9]{5}$/);
      const { automountServiceAccountToken, ...rest } = wholeSpec;
      expect(automountServiceAccountToken).toBe(false);
      const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
      expect(created.spec).toEqual({
        ...rest,
        imagePullSecrets,
        containers: [
          { ...wholeMain, volumeMounts: [{ name, readOnly: true, mountPath: tokenPath }] },
          { ...wholeMain, name: 'other', volumeMounts: own },
        ],
        volumes: [
          { name: 'plain', emptyDir: {} },
          {
            name,
            projected: {
              defaultMode: 420,
              sources: [
                { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
                { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
                { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
              ],
            },
          },
        ],
      });
    },
  },
  {
    rule: 'a ServiceAccount may disable the token volume for all its Pods',
    run: async (context) => {
      const { serviceAccounts } = context;
      const draft = serviceAccounts.draft('runner', { automountServiceAccountToken: false });
      await serviceAccounts.post(draft);
      const { spec } = await createPod(context, {
        automountServiceAccountToken: undefined,
        containers: [main],
      });
      expect(spec).not.toHaveProperty('volumes');
    },
  },
  {
    rule: 'a Pod gets the overhead of its RuntimeClass, which must exist',
    run: async (context) => {
      const { runtimeClasses, suffix } = context;
      const runtimeClassName = `runtime-${suffix}`;
      const forbidden = { code: 403, reason: 'Forbidden' };
      expectFailure(await postPod(context, { containers: [main], runtimeClassName }), forbidden);
      const podFixed = { cpu: '250m' };
      const tolerations = [{ key: 'vm', operator: 'Exists' }];
      const scheduling = { nodeSelector: { vm: 'yes' }, tolerations };
      await runtimeClasses.post(
        runtimeClasses.draft(runtimeClassName, { handler: 'vm', overhead: { podFixed }, scheduling }),
      );
      expect((await createPod(context, { containers: [main], runtimeClassName })).spec).toEqual({
        ...wholeSpec,
        containers: [wholeMain],
        runtimeClassName,
        overhead: podFixed,
        nodeSelector: { vm: 'yes' },
        tolerations: [...patience, ...tolerations],
      });
      expectFailure(await postPod(context, { containers: [main], overhead: podFixed }), forbidden);
    },
  },
  {
    rule: 'the priority of a Pod comes from its priority class alone',
    run: async (context) => {
      const forbidden = { code: 403, reason: 'Forbidden' };
      for (const own of [{ priorityClassName: 'nobody' }, { priority: 5 }, { preemptionPolicy: 'Never' }])
        expectFailure(await postPod(context, { containers: [main], ...own }), forbidden);
      const { spec } = await createPod(context, { containers: [main], priority: 0 });
      expect(spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    },
  },
];
