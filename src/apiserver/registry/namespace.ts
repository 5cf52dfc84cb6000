/** Namespaces: held by the controller that empties them, through a list of finalizers of their own. */
import { isJsonObject } from '../json.ts';
import { isDeleting, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { wrong } from './causes.ts';
import { nextBuiltin } from './next-state.ts';
import { objectAt, textsAt } from './reading.ts';
import type { Resource } from './resource.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const emptied = 'kubernetes';
const next = nextBuiltin(true);

export function specFinalizers(namespace: KubeObject): readonly string[] {
  return textsAt(objectAt(namespace, 'spec'), 'finalizers');
}

export function namespaceDefaults(namespace: KubeObject): KubeObject {
  const { labels, name } = namespace.metadata;
  return withMeta(namespace, { labels: { ...(isJsonObject(labels) ? labels : {}), [nameLabel]: name } });
}

export function admitNamespace(namespace: KubeObject, old: KubeObject | undefined): KubeObject {
  if (old !== undefined) return namespace;
  const finalizers = [...new Set([...specFinalizers(namespace), emptied])];
  return withFields(namespace, { spec: { finalizers }, status: { phase: 'Active' } });
}

/** Only their own path changes who holds a namespace. */
export const nextNamespace: Resource['next'] = (old, sent, through) => {
  const wanted = next(old, sent, through);
  return through === 'finalize' ? wanted : withFields(wanted, { spec: old['spec'] });
};

export function namespaceCauses(namespace: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const { phase } = objectAt(namespace, 'status');
  if (old === undefined || phase === (isDeleting(namespace) ? 'Terminating' : 'Active')) return [];
  return [wrong('status.Phase', phase, 'may only be Active before a deletion and Terminating after it')];
}
