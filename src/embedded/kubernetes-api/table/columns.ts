/** A column of `kubectl get`: its title and the reader of its cell. */
import type { Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** A time that is shown as an age. */
  readonly isAge?: boolean;
  /** Above zero: shown only with `-o wide`. */
  readonly priority: number;
  readonly read: (object: KubeObject) => Json;
}

export const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description: 'Name of the object, unique among its kind in its namespace.',
  priority: 0,
  read: (object) => object.metadata.name,
};

export const ageColumn: Column = {
  name: 'Age',
  type: 'date',
  isAge: true,
  description: 'How long the object has existed.',
  priority: 0,
  read: (object) => object.metadata['creationTimestamp'] ?? null,
};

/** Built-in kinds send the age as text. */
export const shownAge: Column = { ...ageColumn, type: 'string' };
