/** Makes Pods for the cases, and gives their defaulted form. */
import type { Context } from './case.ts';
import type { Response } from './target.ts';
import { objectIn, type KubeObject } from './kube-object.ts';

const account = {
  serviceAccountName: 'runner',
  serviceAccount: 'runner',
  automountServiceAccountToken: false,
};
export const patience = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].map((key) => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
}));
/** The defaulted spec of a Pod with nothing but containers. */
export const wholeSpec = {
  ...account,
  dnsPolicy: 'ClusterFirst',
  enableServiceLinks: true,
  preemptionPolicy: 'PreemptLowerPriority',
  priority: 0,
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  terminationGracePeriodSeconds: 30,
  tolerations: patience,
};
const wholeContainer = {
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
};
export const main = { name: 'main', image: 'none:1' };
/** The defaulted container `main`. */
export const wholeMain = { ...wholeContainer, ...main, imagePullPolicy: 'IfNotPresent' };

type Fields = Readonly<Record<string, unknown>>;

/** Uses its own ServiceAccount: the default account comes from a controller, some time after the namespace. */
export async function postPod(context: Context, spec: Fields, more: Fields = {}): Promise<Response> {
  const { pods, serviceAccounts } = context;
  if ((await serviceAccounts.get('runner')).status === 404)
    objectIn(await serviceAccounts.post(serviceAccounts.draft('runner')), 201);
  const named = { serviceAccountName: 'runner', automountServiceAccountToken: false };
  return pods.post(pods.draft('a', { spec: { ...named, ...spec }, ...more }));
}

export async function createPod(context: Context, spec: Fields, more: Fields = {}): Promise<KubeObject> {
  return objectIn(await postPod(context, spec, more), 201);
}
