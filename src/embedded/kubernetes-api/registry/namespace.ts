/** Namespaces: `spec.finalizers` holds them until the controller has emptied them. */
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

/** Adds the name label; with generateName, after the name is generated. */
export function namespaceDefaults(namespace: KubeObject): KubeObject {
  const { labels, name } = namespace.metadata;
  const filled = withFields(namespace, { status: { phase: 'Active', ...objectAt(namespace, 'status') } });
  if (name === '') return filled;
  return withMeta(filled, { labels: { ...(isJsonObject(labels) ? labels : {}), [nameLabel]: name } });
}

export function newNamespace(namespace: KubeObject): KubeObject {
  return namespaceDefaults(withFields(namespace, { status: undefined }));
}

/** Only the subresource `finalize` changes `spec.finalizers`. */
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

/** A deleted namespace has no grace period, because its content determines the duration, and keeps its generation. */
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
