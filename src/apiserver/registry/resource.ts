/** What the server knows of one resource: its names and the rules of its writes. A verb asks, it never special-cases. */
import type { JsonSchema } from '../schema/structural-schema.ts';
import type { Column } from '../table/columns.ts';
import type { Cause } from '../status-error.ts';
import type { KubeObject } from '../kube-object.ts';
import type { SelectableFields } from '../selectors/field-selector.ts';

export type Subresource = 'status' | 'scale';

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
  readonly subresources: ReadonlySet<Subresource>;
  /** The fields of the kind, as far as the server looks into them. */
  readonly schema: JsonSchema;
  readonly scale: ScalePaths | undefined;
  /** What `kubectl get` shows of an object in its stored form. */
  readonly columns: readonly Column[];
  /** List items of built-in kinds carry neither kind nor apiVersion; those of custom ones do. */
  readonly typedItems: boolean;
  /** Parts that are shown, empty, even where nobody wrote them. */
  readonly always: readonly string[];
  /** Whether the kind counts changes of its specification at all. */
  readonly countsGenerations: boolean;
  /** An update without a resourceVersion overwrites whatever is there. */
  readonly unconditionalUpdate: boolean;
  /** An update of what does not exist creates it. */
  readonly createOnUpdate: boolean;
  /** A delete answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Whether all objects of a namespace can be deleted in one request. */
  readonly deletesTogether: boolean;
  /** Put on an object when it is deleted, so that someone can clean up first. */
  readonly finalizerOnDelete: string | undefined;
  /** Nothing new can be created, because the resource is on its way out. */
  readonly closed: boolean;
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
  /** What an update does besides. */
  prepareChanged(object: KubeObject, old: KubeObject): KubeObject;
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
