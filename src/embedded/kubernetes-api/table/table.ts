/** Objects as a Table, which kubectl requests for printing. */
import type { Json, JsonObject } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { age } from './age.ts';
import type { Column } from './columns.ts';

export interface TableOptions {
  readonly columns: readonly Column[];
  /** The part of each object in its row. */
  readonly include: 'None' | 'Metadata' | 'Object';
  readonly now: number;
  /** The type of the objects. */
  readonly type: { readonly kind: string; readonly apiVersion: string };
}

/** `listMeta` is that of the list the objects came in. In a watch only the first table has definitions. */
export function table(
  objects: readonly KubeObject[],
  options: TableOptions,
  more: { listMeta?: Json; withDefinitions: boolean },
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: more.listMeta ?? {},
    columnDefinitions: more.withDefinitions ? options.columns.map(definition) : null,
    rows: objects.map((object) => row(object, options)),
  };
}

function definition({ name, type, format, description, priority }: Column): Json {
  return {
    name,
    type,
    format: format ?? '',
    description: description ?? '',
    priority,
  };
}

function row(object: KubeObject, options: TableOptions): Json {
  const { columns, include, now } = options;
  const cells = columns.map((column) => cell(column, column.read(object), now));
  if (include === 'None') return { cells };
  // Items of built-in lists have no kind, which a client needs to decode the object.
  return { cells, object: include === 'Object' ? { ...options.type, ...object } : partial(object) };
}

function cell(column: Column, value: Json, now: number): Json {
  if (column.isAge !== true) return value;
  return typeof value === 'string' ? age(value, now) : '<unknown>';
}

function partial({ metadata }: KubeObject): Json {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}
