/** Discovery documents: by group, and aggregated. */
import type { Json, JsonObject } from '../json.ts';
import { apiVersionOf, type Resource, type Subresource } from '../registry/resource.ts';
import { byVersionPriority } from './versions.ts';

export const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

interface Below {
  readonly verbs: readonly string[];
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
}

/** The verbs of subresources, and their kind where it differs from the object's kind. */
const below: Readonly<Record<Subresource, Below>> = {
  status: { verbs: ['get', 'patch', 'update'] },
  scale: { verbs: ['get', 'patch', 'update'], kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
  token: { verbs: ['create'], kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } },
  eviction: { verbs: ['create'], kind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
  binding: { verbs: ['create'], kind: { group: '', version: 'v1', kind: 'Binding' } },
  log: { verbs: ['get'] },
  finalize: { verbs: ['update'] },
};

export function groupList(resources: readonly Resource[]): JsonObject {
  const groups = namesOf(resources).map((name) => group(resources, name));
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** Undefined for an unserved group. */
export function groupDocument(resources: readonly Resource[], name: string): JsonObject | undefined {
  if (!namesOf(resources).includes(name)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...group(resources, name) };
}

export function resourceList(
  resources: readonly Resource[],
  groupName: string,
  version: string,
): JsonObject | undefined {
  const served = resources.filter((one) => one.group === groupName && one.version === version);
  const [first] = served;
  if (first === undefined) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: apiVersionOf(first),
    resources: served.flatMap(listEntries),
  };
}

/** `core` holds the kinds without a group, which live under another path. */
export function aggregated(resources: readonly Resource[], which: 'core' | 'groups'): JsonObject {
  const names = which === 'core' ? [''] : namesOf(resources);
  const items = names.map((name) => ({
    metadata: { ...(name !== '' && { name }), creationTimestamp: null },
    versions: versionsOf(resources, name).map((version) => ({
      version,
      resources: resources
        .filter((one) => one.group === name && one.version === version)
        .map(aggregatedEntry),
      freshness: 'Current',
    })),
  }));
  return { kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items };
}

function namesOf(resources: readonly Resource[]): readonly string[] {
  return [...new Set(resources.map((one) => one.group))].filter((name) => name !== '').toSorted();
}

function versionsOf(resources: readonly Resource[], name: string): readonly string[] {
  const versions = resources.filter((one) => one.group === name).map((one) => one.version);
  return [...new Set(versions)].toSorted(byVersionPriority);
}

function group(resources: readonly Resource[], name: string): JsonObject {
  const versions = versionsOf(resources, name).map((version) => ({
    groupVersion: `${name}/${version}`,
    version,
  }));
  return { name, versions, preferredVersion: versions[0] ?? {} };
}

function listEntries(resource: Resource): readonly Json[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs: [...resource.verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
  };
  const parts = [...resource.subresources].map((name) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(below[name].kind ?? { kind: resource.kind }),
    verbs: [...below[name].verbs],
  }));
  return [main, ...parts];
}

function aggregatedEntry(resource: Resource): Json {
  const { group: groupName, version, kind, plural, singular, shortNames, categories } = resource;
  // Built-in kinds omit the group and version of their document.
  const spoken = resource.typedItems ? { group: groupName, version } : { group: '', version: '' };
  const parts = [...resource.subresources].map((name) => ({
    subresource: name,
    responseKind: below[name].kind ?? { ...spoken, kind },
    verbs: [...below[name].verbs],
  }));
  return {
    resource: plural,
    responseKind: { ...spoken, kind },
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: [...resource.verbs],
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    ...(categories.length > 0 && { categories: [...categories] }),
    ...(parts.length > 0 && { subresources: parts }),
  };
}
