/** From a path to the resource, the namespace, the name and the subresource it names. */
import { placeOf } from './object-path.ts';
import type { Registry } from './registry/registry.ts';
import type { Resource, Subresource } from './registry/resource.ts';
import { StatusError } from './status-error.ts';

export interface Route {
  readonly resource: Resource;
  /** Empty for what lives outside namespaces, and for a list over all of them. */
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

/** Without a namespace only a list over all of them makes sense for what lives in one. */
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
  // The real server looks for a custom resource under any path below its name, and for a built-in one under none.
  if (!resource.typedItems) throw unknownPath();
  const { group, plural } = resource;
  throw new StatusError('NotFound', `${plural}.${group} "${name}" not found`, {
    subject: { group, kind: plural, name },
  });
}

function unknownPath(): StatusError {
  return new StatusError('NotFound', 'the server could not find the requested resource');
}
