/** From a path to the resource, the namespace, the name and the subresource it names. */
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

const core = /^\/api\/(?<version>[^/]+)\/(?<rest>.+)$/;
const grouped = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)\/(?<rest>.+)$/;

export function routeOf(path: string, registry: Registry): Route {
  const { group, version, rest } = partsOf(path);
  const { namespace, segments } = splitNamespace(group, rest.split('/').map(decode));
  const [plural = '', name, subresource, ...more] = segments;
  const resource = registry.find(group, version, plural);
  if (resource === undefined || more.length > 0 || !isInPlace(resource, namespace, name)) throw unknownPath();
  return {
    resource,
    namespace: namespace ?? '',
    name,
    subresource: knownSubresource(resource, name, subresource),
  };
}

function partsOf(path: string): { readonly group: string; readonly version: string; readonly rest: string } {
  const parts = (core.exec(path) ?? grouped.exec(path))?.groups;
  if (parts === undefined) throw unknownPath();
  return { group: parts['group'] ?? '', version: parts['version'] ?? '', rest: parts['rest'] ?? '' };
}

interface Split {
  readonly namespace: string | undefined;
  readonly segments: readonly string[];
}

/** `namespaces/x/status` is about the namespace x itself, `namespaces/x/pods` about what is inside it. */
function splitNamespace(group: string, segments: readonly string[]): Split {
  const [first, namespace, third] = segments;
  const aboutItself = group === '' && segments.length === 3 && (third === 'status' || third === 'finalize');
  if (first !== 'namespaces' || segments.length < 3 || aboutItself) return { namespace: undefined, segments };
  return { namespace, segments: segments.slice(2) };
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

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) throw unknownPath();
    throw error;
  }
}

function unknownPath(): StatusError {
  return new StatusError('NotFound', 'the server could not find the requested resource');
}
