/** Adds the token volume and the image pull Secrets of its ServiceAccount to a new Pod. */
import type { JsonObject } from '../json.ts';
import { namespaceOf, textAt, type KubeObject } from '../kube-object.ts';
import { StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { generateName } from './names.ts';
import { filled, objectsAt, withEach } from './reading.ts';
import type { Surroundings } from './resource.ts';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
/** The default lifetime of the real server: distinguishable from an explicit hour. */
const tokenSeconds = 3607;
/** 0644 */
const fileMode = 420;

/** Rejects a Pod whose ServiceAccount does not exist yet. */
export function withAccount(pod: KubeObject, given: JsonObject, around: Surroundings): JsonObject {
  const spec = filled(given, { serviceAccountName: 'default', serviceAccount: 'default' });
  const name = textAt(spec, 'serviceAccountName') ?? '';
  const account = around.store.get('serviceaccounts', keyOf(namespaceOf(pod), name));
  if (account === undefined) throw withoutAccount(pod, name);
  const keys = objectsAt(account, 'imagePullSecrets');
  const keyed = keys.length === 0 ? spec : filled(spec, { imagePullSecrets: keys });
  const mounts = spec['automountServiceAccountToken'] ?? account['automountServiceAccountToken'] ?? true;
  return mounts === true ? withToken(keyed, generateName('kube-api-access-', around.random)) : keyed;
}

function withToken(spec: JsonObject, name: string): JsonObject {
  const lists = ['initContainers', 'containers'] as const;
  const needs = (container: JsonObject): boolean =>
    objectsAt(container, 'volumeMounts').every((mount) => mount['mountPath'] !== mountPath);
  if (!lists.some((list) => objectsAt(spec, list).some(needs))) return spec;
  const mount = { name, readOnly: true, mountPath };
  const mounted = lists.reduce(
    (at, list) =>
      withEach(at, list, (container) =>
        needs(container)
          ? { ...container, volumeMounts: [...objectsAt(container, 'volumeMounts'), mount] }
          : container,
      ),
    spec,
  );
  return { ...mounted, volumes: [...objectsAt(spec, 'volumes'), tokenVolume(name)] };
}

function tokenVolume(name: string): JsonObject {
  const fieldRef = { apiVersion: 'v1', fieldPath: 'metadata.namespace' };
  return {
    name,
    projected: {
      defaultMode: fileMode,
      sources: [
        { serviceAccountToken: { expirationSeconds: tokenSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        { downwardAPI: { items: [{ path: 'namespace', fieldRef }] } },
      ],
    },
  };
}

function withoutAccount(pod: KubeObject, account: string): StatusError {
  const { name } = pod.metadata;
  const place = `${namespaceOf(pod)}/${account}`;
  const why = `error looking up service account ${place}: serviceaccount "${account}" not found`;
  return new StatusError('Forbidden', `pods "${name}" is forbidden: ${why}`, {
    subject: { group: '', kind: 'pods', name },
  });
}
