/**
 * The definition of a kind. `defineKind` joins its names and fields into one zod schema. The TypeScript type, the
 * CustomResourceDefinition and the reference page are derived from the result, so they always agree.
 */
import { z } from 'zod';

import { version } from '../names/groups.ts';
import { objectMetadata } from './object-metadata.ts';

export interface Column {
  readonly name: string;
  /** Path for kubectl, with a leading dot. */
  readonly path: string;
  readonly type: 'string' | 'boolean' | 'integer' | 'date';
  /** Shown only by `kubectl get -o wide`. */
  readonly wide?: true;
}

export interface KindNames<Group extends string = string, Name extends string = string> {
  readonly group: Group;
  readonly kind: Name;
  readonly plural: string;
  readonly shortName: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Cluster API core reads or clones objects of this kind. */
  readonly speaksClusterApi: boolean;
  /** One or two sentences, at the beginning of the reference page and of `kubectl explain`. */
  readonly summary: string;
  readonly columns: readonly Column[];
}

export interface Kind extends KindNames {
  readonly version: typeof version;
  readonly schema: z.ZodObject;
}

/** `fields` are the top-level fields beside `metadata`: `spec` and optionally `status`. */
export function defineKind<
  const Group extends string,
  const Name extends string,
  Fields extends z.ZodRawShape,
>(names: KindNames<Group, Name>, fields: Fields) {
  const apiVersion: `${Group}/${typeof version}` = `${names.group}/${version}`;
  const schema = z
    .object({ apiVersion: z.literal(apiVersion), kind: z.literal(names.kind), metadata: objectMetadata })
    .extend(fields);
  return { ...names, version, schema } as const;
}
