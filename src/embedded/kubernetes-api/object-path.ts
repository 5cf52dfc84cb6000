/**
 * Parses a resource path, independent of served resources. Authorization and execution share this parser, so that they
 * never interpret a path differently.
 */

export interface Place {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Undefined without a namespace in the path. */
  readonly namespace: string | undefined;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

const core = /^\/api\/(?<version>[^/]+)\/(?<rest>.+)$/;
const grouped = /^\/apis\/(?<group>[^/]+)\/(?<version>[^/]+)\/(?<rest>.+)$/;
const ownParts = new Set(['status', 'finalize']);

/** Undefined for a non-resource path. */
export function placeOf(path: string): Place | undefined {
  const parts = (core.exec(path) ?? grouped.exec(path))?.groups;
  if (parts === undefined) return undefined;
  const { group = '', version = '', rest = '' } = parts;
  const decoded = rest.split('/').map(decode);
  if (!decoded.every((segment) => segment !== undefined && segment !== '')) return undefined;
  const { namespace, segments } = splitNamespace(group, decoded);
  const [plural = '', name, subresource, ...more] = segments;
  return more.length > 0 ? undefined : { group, version, namespace, plural, name, subresource };
}

interface Split {
  readonly namespace: string | undefined;
  readonly segments: readonly (string | undefined)[];
}

/** `namespaces/x/status` is about the namespace x itself, `namespaces/x/pods` about objects in it. */
function splitNamespace(group: string, segments: readonly (string | undefined)[]): Split {
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
