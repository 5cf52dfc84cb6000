/**
 * Serves the resources of definitions shortly after their write, like the real server. Deleting a definition deletes
 * its objects; meanwhile creates are rejected.
 */
import { isJsonEqual } from '../json.ts';
import {
  finalizersOf,
  isDeleting,
  namespaceOf,
  withFields,
  withMeta,
  type KubeObject,
} from '../kube-object.ts';
import { resourcesOf, type Definition } from '../registry/custom-resource.ts';
import { cleanupFinalizer, definitionIn, definitions } from '../registry/definitions.ts';
import { storageName } from '../registry/resource.ts';
import { keyOf } from '../store/store.ts';
import { timestamp, type Parts } from '../verbs/call.ts';
import { evaluateDefinition } from './definition-status.ts';

const resource = storageName(definitions);

export function runDefinitions(parts: Parts, lagMs: number): () => void {
  const stop = parts.store.follow('all', 'start', (event) => {
    if (event.resource === resource && event.type === 'DELETED') withdraw(parts, event.object);
    const name = event.resource === resource ? event.object.metadata.name : event.resource;
    // Of custom objects only a deletion matters: it may complete the deletion of the definition.
    if (event.resource === resource || event.type === 'DELETED')
      parts.clock.after(lagMs, () => reconcile(parts, name));
  });
  return stop === 'expired' ? () => undefined : stop;
}

/** Acts on what is stored now, whatever it was that changed. */
function reconcile(parts: Parts, name: string): void {
  const object = parts.store.get(resource, keyOf('', name));
  const definition = object === undefined ? undefined : definitionIn(object);
  if (object === undefined || definition === undefined) return;
  const { accepted, status } = evaluateDefinition(object, earlier(parts, object), timestamp(parts.clock));
  if (accepted) serve(parts, definition, isDeleting(object));
  const evaluated = withFields(object, { status });
  const key = keyOf('', name);
  const stored = isJsonEqual(evaluated, object) ? object : parts.store.put(resource, key, evaluated);
  if (isDeleting(stored)) cleanUp(parts, stored, definition);
}

function earlier(parts: Parts, object: KubeObject): readonly KubeObject[] {
  const snapshot = parts.store.list(resource);
  if (snapshot === 'expired') throw new Error('the current state cannot have expired');
  const accepted = snapshot.items.filter((other) =>
    JSON.stringify(other['status'] ?? {}).includes('"type":"NamesAccepted","status":"True"'),
  );
  return accepted.filter((other) => other.metadata.name !== object.metadata.name);
}

function serve(parts: Parts, definition: Definition, terminating: boolean): void {
  const versions = resourcesOf(definition).map((version) => ({ ...version, closed: terminating }));
  parts.registry.serve({ group: definition.spec.group, plural: definition.spec.names.plural }, versions);
}

function withdraw(parts: Parts, object: KubeObject): void {
  const definition = definitionIn(object);
  if (definition !== undefined) {
    parts.registry.withdraw({ group: definition.spec.group, plural: definition.spec.names.plural });
  }
}

/** Deletes the objects first; an object with a finalizer keeps the definition. */
function cleanUp(parts: Parts, object: KubeObject, { spec }: Definition): void {
  const served = storageName({ group: spec.group, plural: spec.names.plural });
  if (emptied(parts, served) > 0) return;
  const finalizers = finalizersOf(object).filter((finalizer) => finalizer !== cleanupFinalizer);
  const next = withMeta(object, { finalizers: finalizers.length > 0 ? finalizers : undefined });
  const key = keyOf('', object.metadata.name);
  if (finalizers.length === 0) parts.store.remove(resource, key, next);
  else if (finalizers.length < finalizersOf(object).length) parts.store.put(resource, key, next);
}

function emptied(parts: Parts, served: string): number {
  const snapshot = parts.store.list(served);
  if (snapshot === 'expired') throw new Error('the current state cannot have expired');
  const held = snapshot.items.filter((one) => finalizersOf(one).length > 0);
  for (const one of snapshot.items) {
    const key = keyOf(namespaceOf(one), one.metadata.name);
    if (!held.includes(one)) parts.store.remove(served, key, one);
    else if (!isDeleting(one))
      parts.store.put(
        served,
        key,
        withMeta(one, { deletionTimestamp: timestamp(parts.clock), deletionGracePeriodSeconds: 0 }),
      );
  }
  return held.length;
}
