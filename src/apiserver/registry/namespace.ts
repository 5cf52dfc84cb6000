/** Namespaces: what is filled in, what the server adds, and who holds them. */
import { isJsonObject, type JsonObject } from '../json.ts';
import { isDeleting, textAt, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { isPlain, isQualified } from './metadata-rules.ts';

export function namespaceDefaults(object: KubeObject): KubeObject {
  const filled = withFields(object, { status: { phase: 'Active', ...objectAt(object, 'status') } });
  if (object.metadata.name === '') return filled;
  const labels = isJsonObject(object.metadata['labels']) ? object.metadata['labels'] : {};
  return withMeta(filled, {
    labels: { ...labels, 'kubernetes.io/metadata.name': object.metadata.name },
  });
}

export function newNamespace(object: KubeObject): KubeObject {
  const held = specFinalizers(object);
  const isHeld = held.includes('kubernetes');
  return withFields(namespaceDefaults(object), {
    spec: { finalizers: isHeld ? held : [...held, 'kubernetes'] },
    status: { phase: 'Active' },
  });
}

export function namespaceCauses(namespace: KubeObject): readonly Cause[] {
  const finalizers = specFinalizers(namespace)
    .filter((name) => !isQualified(name) || isPlain(name))
    .map((name) => ({
      field: 'spec.finalizers',
      reason: 'FieldValueInvalid',
      message: `Invalid value: ${JSON.stringify(name)}: not the name of a finalizer`,
    }));
  const phase = textAt(objectAt(namespace, 'status'), 'phase') ?? '';
  const wanted = isDeleting(namespace) ? 'Terminating' : 'Active';
  if (phase === wanted || phase === '') return finalizers;
  return [
    ...finalizers,
    { field: 'status.Phase', reason: 'FieldValueInvalid', message: `may only be ${wanted}` },
  ];
}

/** A namespace is held by the controller that empties it, through a list of its own. */
export function specFinalizers(namespace: KubeObject): readonly string[] {
  const list = objectAt(namespace, 'spec')['finalizers'];
  return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
}

/** Who holds a namespace is said through another path. */
export function changedNamespace(object: KubeObject, old: KubeObject): KubeObject {
  return withFields(object, { spec: old['spec'] });
}

/** What is inside a namespace decides how long its deletion takes, so that there is no grace; and it is no change of what was wished. */
export function markedNamespace(object: KubeObject, old: KubeObject): KubeObject {
  const status = { ...objectAt(object, 'status'), phase: 'Terminating' };
  const { generation } = old.metadata;
  return withMeta(withFields(object, { status }), { deletionGracePeriodSeconds: undefined, generation });
}

function objectAt(object: KubeObject, key: string): JsonObject {
  const value = object[key];
  return isJsonObject(value) ? value : {};
}
