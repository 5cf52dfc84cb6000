/** The writes of controllers: through the same verbs as clients, under the server's own identity. */
import { isDeleting, type KubeObject } from '../kube-object.ts';
import type { JsonObject } from '../json.ts';
import type { Resource } from '../registry/resource.ts';
import { StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import type { Call, Parts } from '../verbs/call.ts';
import { createFrom } from '../verbs/create.ts';
import { decodeWrite } from '../verbs/decode.ts';
import { replace } from '../verbs/update.ts';
import { callFor } from './call-for.ts';

/** Undefined when the object exists already, or when its namespace is gone or being deleted. */
export function createUnlessThere(call: Call, body: JsonObject): KubeObject | undefined {
  try {
    return createFrom(call, decodeWrite(call, body));
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

/** Writes the new state of an object that was just read. */
export function write(call: Call, old: KubeObject, next: KubeObject): KubeObject {
  return replace({ ...call, name: old.metadata.name }, { old, sent: next });
}

export function callOn(parts: Parts, plural: string, namespace: string): Call {
  return callFor(parts, builtinResource(parts, plural), namespace);
}

function builtinResource({ registry }: Parts, plural: string): Resource {
  const resource = registry.all().find((one) => one.plural === plural && one.version === 'v1');
  if (resource === undefined) throw new Error(`${plural} is not served`);
  return resource;
}

/** Calls `visit` for each live namespace, at the start and after each change of `storage` in it. */
export function forEachNamespace(
  parts: Parts,
  { storage, lagMs }: { readonly storage: string; readonly lagMs: number },
  visit: (namespace: string) => void,
): void {
  const later = (namespace: string): void => {
    parts.clock.after(lagMs, () => {
      const found = parts.store.get('namespaces', keyOf('', namespace));
      if (found !== undefined && !isDeleting(found)) visit(namespace);
    });
  };
  parts.store.follow('namespaces', 'start', ({ object, type }) => {
    if (type !== 'DELETED') later(object.metadata.name);
  });
  parts.store.follow(storage, parts.store.revision, ({ key }) => later(key.slice(0, key.indexOf('/'))));
}
