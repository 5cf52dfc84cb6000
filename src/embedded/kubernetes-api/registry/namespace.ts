/** Namespaces: held by the controller that empties them, through a list of finalizers of their own. */
import { isJsonObject } from '../json.ts';
import { isDeleting, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { wrong } from './causes.ts';
import { isPlain, isQualified } from './metadata-rules.ts';
import { objectAt, textsAt } from './reading.ts';
import type { Surroundings } from './resource.ts';

const nameLabel = 'kubernetes.io/metadata.name';
const emptied = 'kubernetes';

export function specFinalizers(namespace: KubeObject): readonly string[] {
  return textsAt(objectAt(namespace, 'spec'), 'finalizers');
}

/** A namespace can be selected by its name; one that is still to be named gets that with its name. */
export function namespaceDefaults(namespace: KubeObject): KubeObject {
  const { labels, name } = namespace.metadata;
  const filled = withFields(namespace, { status: { phase: 'Active', ...objectAt(namespace, 'status') } });
  if (name === '') return filled;
  return withMeta(filled, { labels: { ...(isJsonObject(labels) ? labels : {}), [nameLabel]: name } });
}

export function newNamespace(namespace: KubeObject): KubeObject {
  return namespaceDefaults(withFields(namespace, { status: undefined }));
}

/** Only their own path changes who holds a namespace. */
export function admitNamespace(
  namespace: KubeObject,
  old: KubeObject | undefined,
  { subresource }: Surroundings,
): KubeObject {
  if (old !== undefined)
    return subresource === 'finalize' ? namespace : withFields(namespace, { spec: old['spec'] });
  const held = specFinalizers(namespace);
  const finalizers = held.includes(emptied) ? held : [...held, emptied];
  return withFields(namespace, { spec: { finalizers }, status: { phase: 'Active' } });
}

/** What is inside a namespace decides how long its deletion takes, so there is no grace; and nobody wished for anything else. */
export function markedNamespace(namespace: KubeObject, old: KubeObject): KubeObject {
  const status = { ...objectAt(namespace, 'status'), phase: 'Terminating' };
  const { generation } = old.metadata;
  return withMeta(withFields(namespace, { status }), { deletionGracePeriodSeconds: undefined, generation });
}

export function namespaceCauses(namespace: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const finalizers = specFinalizers(namespace)
    .filter((name) => !isQualified(name) || isPlain(name))
    .map((name) => wrong('spec.finalizers', name, 'not the name of a finalizer'));
  const { phase } = objectAt(namespace, 'status');
  const wanted = isDeleting(namespace) ? 'Terminating' : 'Active';
  if (old === undefined || phase === wanted || phase === '') return finalizers;
  return [
    ...finalizers,
    wrong('status.Phase', phase, 'may only be Active before a deletion and Terminating after it'),
  ];
}
