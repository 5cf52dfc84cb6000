/** The common fields of Kubernetes objects, and the names of resources. */
export interface KubeObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: Metadata;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** `T` is the type of its objects; only the server validates it. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** Exists only for the type. */
  readonly _object?: T;
}

export interface Place {
  /** Required for a namespaced object; a list without it covers all namespaces. */
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
}

export function pathOf(resource: Resource, { namespace, name, subresource }: Place): string {
  const root =
    resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const place = namespace === undefined ? [] : ['namespaces', namespace];
  const below = [name, subresource].filter((part) => part !== undefined);
  return [root, ...[...place, resource.plural, ...below].map(encodeURIComponent)].join('/');
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `namespace/name`, or the name alone: the key of an object in caches and queues. */
export function keyOf({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** The object has a deletion timestamp. */
export function isDeleting({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
