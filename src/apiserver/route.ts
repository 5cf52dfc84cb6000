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

/** What a path names, whether the server has it or not. */
export interface Place {
  readonly group: string;
  readonly version: string;
  /** Undefined where the path names none. */
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

export function routeOf(path: string, registry: Registry): Route {
  const place = placeOf(path);
  if (place === undefined) throw unknownPath();
  const { group, version, plural, namespace, name, subresource } = place;
  const resource = registry.find(group, version, plural);
  if (resource === undefined || !isInPlace(resource, namespace, name)) throw unknownPath();
  return { resource, namespace: namespace ?? '', name, subresource: knownSubresource(resource, subresource) };
}

/** Undefined for a path that is not about a resource. */
export function placeOf(path: string): Place | undefined {
  const parts = (core.exec(path) ?? grouped.exec(path))?.groups;
  if (parts === undefined) return undefined;
  const { group = '', version = '', rest = '' } = parts;
  const decoded = rest.split('/').map(decode);
  if (!decoded.every((part) => part !== undefined)) return undefined;
  const { namespace, segments } = splitNamespace(group, decoded);
  const [plural = '', name, subresource, ...more] = segments;
  return more.length > 0 ? undefined : { group, version, namespace, plural, name, subresource };
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

function knownSubresource(resource: Resource, asked: string | undefined): Subresource | undefined {
  if (asked === undefined) return undefined;
  const known = [...resource.subresources].find((one) => one === asked);
  if (known === undefined) throw unknownPath();
  return known;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function unknownPath(): StatusError {
  return new StatusError('NotFound', 'the server could not find the requested resource');
}
