/**
 * What a kind is made of. `defineKind` joins its names and its fields into one zod schema; the TypeScript type, the
 * CustomResourceDefinition and the reference page are all derived from the result, so they cannot disagree.
 */
import { z } from 'zod';

import { version } from '../names/groups.ts';
import { objectMetadata } from './object-metadata.ts';

export interface Column {
  readonly name: string;
  /** Path as kubectl wants it, with a leading dot. */
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
  /** One or two sentences; they open the reference page and `kubectl explain`. */
  readonly summary: string;
  readonly columns: readonly Column[];
}

export interface Kind extends KindNames {
  readonly version: typeof version;
  readonly schema: z.ZodObject;
}

/** `fields` are what stands beside `metadata` in an object: `spec`, and `status` where there is one. */
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
