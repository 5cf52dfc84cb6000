/** The names and write rules of a resource. Verbs use this interface and never special-case a kind. */
import type { JsonSchema } from '../schema/structural-schema.ts';
import type { Column } from '../table/columns.ts';
import type { Cause } from '../status-error.ts';
import type { Verb } from '../verb.ts';
import type { KubeObject } from '../kube-object.ts';
import type { SelectableFields } from '../selectors/field-selector.ts';
import type { Random } from '../../../platform/random.ts';
import type { JsonObject } from '../json.ts';
import type { Store } from '../store/store.ts';

export type Subresource = 'status' | 'scale' | 'token' | 'eviction' | 'binding' | 'log' | 'finalize';

/** A decoded body after its schema was applied. */
export interface Conformed {
  readonly object: KubeObject;
  /** Paths of unknown fields, which are removed from `object`. */
  readonly unknown: readonly string[];
}

/** The fields of an object that its scale shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
  /** For kinds whose selector is not stored as text. */
  readonly selectorOf?: ((object: KubeObject) => string) | undefined;
}

/** The context of a write. */
export interface Surroundings {
  /** The subresource of the write. */
  readonly subresource: Subresource | undefined;
  readonly random: Random;
  readonly store: Pick<Store, 'get' | 'list'>;
}

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly kind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  /** The supported verbs; reviews support only create. */
  readonly verbs: readonly Verb[];
  readonly subresources: ReadonlySet<Subresource>;
  /** The schema of the kind. */
  readonly schema: JsonSchema;
  /** The definitions of the schema by name, the kind itself first; empty for a self-contained schema. */
  definitions(): ReadonlyMap<string, JsonObject>;
  readonly scale: ScalePaths | undefined;
  /** The `kubectl get` columns of a stored object. */
  readonly columns: readonly Column[];
  /** List items of custom kinds have kind and apiVersion; those of built-in kinds do not. */
  readonly typedItems: boolean;
  /** Whether the kind counts spec changes in `metadata.generation`. */
  readonly countsGenerations: boolean | 'labels-too';
  /** An update without a resourceVersion overwrites the object. */
  readonly unconditionalUpdate: boolean;
  /** An update of a missing object creates it. */
  readonly createOnUpdate: boolean;
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Added to a deleted object, so that a controller can clean up first. */
  readonly finalizerOnDelete: string | undefined;
  /** Creates are rejected, because the resource is being removed. */
  readonly closed: boolean;
  /** The deprecation warning of the version. */
  readonly deprecation: string | undefined;
  /** Objects that may not be deleted, by name. */
  readonly undeletable: ReadonlySet<string>;
  /** The resource whose storage this resource shows in another form. */
  readonly storedAs: string | undefined;
  readonly nameRule: 'subdomain' | 'label' | 'path-segment';
  readonly selectable: SelectableFields;
  /** The stored object as this version shows it. */
  serve(object: KubeObject): KubeObject;
  /** The grace period of a deletion; `asked` is the requested one. */
  graceSeconds(object: KubeObject, asked: number | undefined): number;
  /** Additional changes of a create. */
  prepareNew(object: KubeObject): KubeObject;
  /** Additions of the server to a new object, or to the next state of `old`; these fields have no owner. */
  admit(object: KubeObject, old: KubeObject | undefined, around: Surroundings): KubeObject;
  /** The next state after a write through one of its paths: each writes only its own part. */
  next(old: KubeObject, sent: KubeObject, through: Subresource | undefined): KubeObject;
  /** The fields of every object of the kind before any write. */
  readonly blank: JsonObject;
  /** The holders of a deletion; without holders the object is removed at once. */
  holders(object: KubeObject): readonly string[];
  /** Additional changes of an object at the start of its deletion. */
  marked(object: KubeObject, old: KubeObject): KubeObject;
  /** Prunes, applies defaults, folds write-only fields; returns unknown fields. */
  conform(object: KubeObject): Conformed;
  /** Whether finalizers without a domain are allowed: for custom resources yes, for most built-in ones no. */
  readonly plainFinalizers: 'refused' | 'warned' | 'taken';
  /** `isDoubtful`: earlier errors make rules on the whole object meaningless. */
  validate(object: KubeObject, old: KubeObject | undefined, isDoubtful?: boolean): readonly Cause[];
}

/** The name objects are stored under: one for all versions of a resource. */
export function storageName(
  resource: Pick<Resource, 'group' | 'plural'> & Partial<Pick<Resource, 'storedAs'>>,
): string {
  if (resource.storedAs !== undefined) return resource.storedAs;
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}
