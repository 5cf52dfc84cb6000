/** Applies to the widget `a`, and reads the owners of its fields. */
import type { Context } from './case.ts';
import type { KubeObject } from './kube-object.ts';
import type { Query, Response } from './target.ts';

export async function apply(
  { widgets }: Context,
  fields: Readonly<Record<string, unknown>>,
  query: Query,
): Promise<Response> {
  return widgets.patch('a', { apply: widgets.draft('a', fields) }, { query });
}

export function as(fieldManager: string, more: Query = {}): Query {
  return { fieldManager, ...more };
}

/** "manager operation subresource" of every entry. */
export function managersOf({ metadata }: KubeObject): readonly string[] {
  const { managedFields = [] } = metadata;
  return managedFields
    .map(({ manager, operation, subresource }) => [manager, operation, subresource ?? ''].join(' ').trim())
    .toSorted();
}

/** The fields of the first entry of a manager. */
export function fieldsOf({ metadata }: KubeObject, manager: string): unknown {
  return metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
}
