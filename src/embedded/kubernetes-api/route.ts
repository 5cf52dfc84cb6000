/** Resolves a path to resource, namespace, name and subresource. */
import { placeOf } from './object-path.ts';
import type { Registry } from './registry/registry.ts';
import type { Resource, Subresource } from './registry/resource.ts';
import { StatusError } from './status-error.ts';

export interface Route {
  readonly resource: Resource;
  /** Empty for cluster-scoped resources, and for a list over all namespaces. */
  readonly namespace: string;
  readonly name: string | undefined;
  readonly subresource: Subresource | undefined;
}

export function routeOf(path: string, registry: Registry): Route {
  const place = placeOf(path);
  if (place === undefined) throw unknownPath();
  const { group, version, plural, namespace, name, subresource } = place;
  const resource = registry.find(group, version, plural);
  if (resource === undefined || !isInPlace(resource, namespace, name)) throw unknownPath();
  return {
    resource,
    namespace: namespace ?? '',
    name,
    subresource: knownSubresource(resource, name, subresource),
  };
}

/** For namespaced resources without a namespace only a list over all namespaces is valid. */
function isInPlace(resource: Resource, namespace: string | undefined, name: string | undefined): boolean {
  return resource.namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

function knownSubresource(
  resource: Resource,
  name: string | undefined,
  asked: string | undefined,
): Subresource | undefined {
  if (asked === undefined || name === undefined) return undefined;
  const known = [...resource.subresources].find((one) => one === asked);
  if (known !== undefined) return known;
  // Like the real server: a custom resource is looked up under any subpath, a built-in one is not.
  if (!resource.typedItems) throw unknownPath();
  const { group, plural } = resource;
  throw new StatusError('NotFound', `${plural}.${group} "${name}" not found`, {
    subject: { group, kind: plural, name },
  });
}

function unknownPath(): StatusError {
  return new StatusError('NotFound', 'the server could not find the requested resource');
}
