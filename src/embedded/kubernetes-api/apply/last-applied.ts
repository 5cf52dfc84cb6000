/**
 * Client-side apply stores the configuration in an annotation. When `kubectl` switches to server-side apply, it
 * inherits the fields of that configuration that have not changed since; the annotation is kept up to date.
 */
import { isJsonObject, without, type Json, type JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { objectAt } from '../registry/reading.ts';
import type { Conflict } from './apply-configuration.ts';
import { compare } from './compare.ts';
import { difference, emptySet, isEmptySet, type FieldSet } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { MergeType } from './merge-type.ts';
import { trackedPart, type Part } from './tracked.ts';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Only this manager name inherits. */
const heir = 'kubectl';

export interface Inheritance {
  readonly manager: string;
  readonly live: KubeObject;
  readonly part: Part;
  readonly type: MergeType;
}

/** The conflicts without those over inherited fields. Throws `UntrackableItem`. */
export function withoutInherited(
  conflicts: readonly Conflict[],
  inheritance: Inheritance,
): readonly Conflict[] {
  if (inheritance.manager !== heir || conflicts.length === 0) return conflicts;
  const inherited = inheritedFields(inheritance);
  return conflicts
    .map((one) => ({ ...one, fields: difference(one.fields, inherited) }))
    .filter(({ fields }) => !isEmptySet(fields));
}

function inheritedFields({ live, part, type }: Inheritance): FieldSet {
  const applied = parsed(annotationOf(live));
  if (applied === undefined || applied['apiVersion'] !== live.apiVersion) return emptySet;
  const [before, now] = [trackedPart(applied, part), trackedPart(live, part)];
  const { removed, modified, added } = compare(type, now, before);
  return [removed, modified, added].reduce(difference, fieldsOf(type, before));
}

/** The resulting object with an updated annotation, where there is one. */
export function withLastApplied(manager: string, applied: JsonObject, configuration: JsonObject): JsonObject {
  if (manager !== heir || annotationOf(applied) === '') return applied;
  const text = `${JSON.stringify(unannotated(configuration))}\n`;
  const metadata = objectAt(applied, 'metadata');
  const annotations = { ...objectAt(metadata, 'annotations'), [annotation]: text };
  return { ...applied, metadata: { ...metadata, annotations } };
}

function unannotated(configuration: JsonObject): JsonObject {
  const metadata = objectAt(configuration, 'metadata');
  if (metadata['annotations'] === undefined) return configuration;
  const annotations = without(objectAt(metadata, 'annotations'), annotation);
  return { ...configuration, metadata: { ...metadata, annotations } };
}

function annotationOf(object: JsonObject): string {
  const text = objectAt(objectAt(object, 'metadata'), 'annotations')[annotation];
  return typeof text === 'string' ? text : '';
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
