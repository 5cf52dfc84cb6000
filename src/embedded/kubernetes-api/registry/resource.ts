/** What the server knows of one resource: its names and the rules of its writes. A verb asks, it never special-cases. */
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

/** What a decoded body became under the schema of its resource. */
export interface Conformed {
  readonly object: KubeObject;
  /** Paths of fields the schema does not know; they are gone from `object`. */
  readonly unknown: readonly string[];
}

/** Where an object keeps what its scale shows. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string | undefined;
  /** For a kind that keeps its selector in another form than text. */
  readonly selectorOf?: ((object: KubeObject) => string) | undefined;
}

/** What a write may look at beside the object itself. */
export interface Surroundings {
  /** The path through which it is written. */
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
  /** What can be done with it; a review can only be asked for. */
  readonly verbs: readonly Verb[];
  readonly subresources: ReadonlySet<Subresource>;
  /** The fields of the kind, as far as the server looks into them. */
  readonly schema: JsonSchema;
  /** The parts of the schema, the kind itself first, under their names; none where the schema is all there is. */
  definitions(): ReadonlyMap<string, JsonObject>;
  readonly scale: ScalePaths | undefined;
  /** What `kubectl get` shows of an object in its stored form. */
  readonly columns: readonly Column[];
  /** List items of built-in kinds carry neither kind nor apiVersion; those of custom ones do. */
  readonly typedItems: boolean;
  /** Whether the kind counts changes of its specification at all. */
  readonly countsGenerations: boolean | 'labels-too';
  /** An update without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** An update of what does not exist creates it. */
  readonly createOnUpdate: boolean;
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Put on an object when it is deleted, so that someone can clean up first. */
  readonly finalizerOnDelete: string | undefined;
  /** Nothing new can be created, because the resource is on its way out. */
  readonly closed: boolean;
  /** What whoever uses the version is warned of. */
  readonly deprecation: string | undefined;
  /** Objects that may not be deleted, by name. */
  readonly undeletable: ReadonlySet<string>;
  /** The storage of another resource that this one shows in its own words. */
  readonly storedAs: string | undefined;
  readonly nameRule: 'subdomain' | 'label' | 'path-segment';
  readonly selectable: SelectableFields;
  /** The stored object as this version shows it. */
  serve(object: KubeObject): KubeObject;
  /** How long a deletion waits for whoever runs the object; `asked` is the wish of the caller. */
  graceSeconds(object: KubeObject, asked: number | undefined): number;
  /** What a create does besides conforming. */
  prepareNew(object: KubeObject): KubeObject;
  /** What the server adds to a new object, or to the next state of `old`, of its own accord; it has no owner. */
  admit(object: KubeObject, old: KubeObject | undefined, around: Surroundings): KubeObject;
  /** The next state after a write through one of its paths: each writes only its own part. */
  next(old: KubeObject, sent: KubeObject, through: Subresource | undefined): KubeObject;
  /** What stands in every object of the kind before anyone writes anything. */
  readonly blank: JsonObject;
  /** What a deletion has to wait for; nothing means that the object goes at once. */
  holders(object: KubeObject): readonly string[];
  /** What else changes on an object at the moment its deletion begins. */
  marked(object: KubeObject, old: KubeObject): KubeObject;
  /** Prunes, fills in defaults, folds write-only fields; says what it did not know. */
  conform(object: KubeObject): Conformed;
  /** Custom resources may carry finalizers without a domain, most built-in ones may not. */
  readonly plainFinalizers: 'refused' | 'warned' | 'taken';
  /** `isDoubtful`: something is known to be so wrong that rules on the whole object make no sense. */
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
