/**
 * Where a path points, before anybody knows whether such a resource is served. Who is asked whether a request is allowed
 * and who carries it out both read the path here, so that they cannot take it for two different things.
 */

export interface Place {
  /** Empty for the kinds without a group. */
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** The resource, then perhaps a name, then perhaps a subresource; never an empty one. */
  readonly segments: readonly string[];
}

const core = /^\/api\/(?<version>[^/]+)\/(?<rest>.+)$/;
const grouped = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)\/(?<rest>.+)$/;
const ownParts = new Set(['status', 'finalize']);

/** Undefined for a path that is about no resource. */
export function placeIn(path: string): Place | undefined {
  const parts = (core.exec(path) ?? grouped.exec(path))?.groups;
  const segments = (parts?.['rest'] ?? '').split('/').map(decode);
  if (parts === undefined || !segments.every((segment) => segment !== undefined && segment !== ''))
    return undefined;
  const { group = '', version = '' } = parts;
  return {
    group,
    version,
    ...splitNamespace(
      group,
      segments.flatMap((segment) => segment ?? []),
    ),
  };
}

/** `namespaces/x/status` is about the namespace x itself, `namespaces/x/pods` about what is inside it. */
function splitNamespace(group: string, segments: readonly string[]): Pick<Place, 'namespace' | 'segments'> {
  const [first, namespace, third] = segments;
  const aboutItself = group === '' && segments.length === 3 && ownParts.has(third ?? '');
  if (first !== 'namespaces' || segments.length < 3 || aboutItself) return { namespace: undefined, segments };
  return { namespace, segments: segments.slice(2) };
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
