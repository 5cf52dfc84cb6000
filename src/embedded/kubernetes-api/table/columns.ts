/** A column of `kubectl get`: what it is called and how its cell is read from an object. */
import type { Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description?: string;
  /** A moment is shown as how long ago it was. */
  readonly isAge?: boolean;
  /** Above zero: shown only where there is room. */
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

/** Built-in kinds send it as the text that it is. */
export const shownAge: Column = { ...ageColumn, type: 'string' };
