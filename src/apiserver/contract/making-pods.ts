/** Makes Pods for the cases. */
import type { Context } from './case.ts';
import type { Response } from './target.ts';
import { objectIn, type KubeObject } from './kube-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** With a ServiceAccount of its own: the default one comes from a controller, some time after the namespace. */
export async function postPod(context: Context, spec: Fields, more: Fields = {}): Promise<Response> {
  const { pods, serviceAccounts } = context;
  if ((await serviceAccounts.get('runner')).status === 404)
    objectIn(await serviceAccounts.post(serviceAccounts.draft('runner')), 201);
  const account = { serviceAccountName: 'runner', automountServiceAccountToken: false };
  return pods.post(pods.draft('a', { spec: { ...account, ...spec }, ...more }));
}

export async function createPod(context: Context, spec: Fields, more: Fields = {}): Promise<KubeObject> {
  return objectIn(await postPod(context, spec, more), 201);
}
