/** The `kubectl get` columns of the built-in kinds. */
import { isJsonObject, type Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { shownAge, nameColumn, type Column } from '../table/columns.ts';
import { valueAt } from './field-path.ts';
import { objectAt, objectsAt, shown } from './reading.ts';
import { selectorText } from './deployment.ts';

export const none = '<none>';

export const plainColumns: readonly Column[] = [nameColumn, shownAge];

export const namespaceColumns = [nameColumn, text('Status', 'status.phase'), shownAge];

export const configMapColumns = [
  nameColumn,
  column('Data', (object) => sizeOf(object['data']) + sizeOf(object['binaryData'])),
  shownAge,
];

export const secretColumns = [
  nameColumn,
  text('Type', 'type'),
  column('Data', (object) => sizeOf(object['data'])),
  shownAge,
];

export const leaseColumns = [nameColumn, text('Holder', 'spec.holderIdentity'), shownAge];

export const runtimeClassColumns = [nameColumn, text('Handler', 'handler'), shownAge];

/** The creation time, not the age. */
export const createdColumns = [
  nameColumn,
  {
    ...column('Created At', (object) => object.metadata['creationTimestamp'] ?? null),
    type: 'date' as const,
  },
];

export const deploymentColumns = [
  nameColumn,
  column('Ready', (one) => `${numberIn(one, 'status.readyReplicas')}/${numberIn(one, 'spec.replicas')}`),
  column('Up-to-date', (one) => numberIn(one, 'status.updatedReplicas')),
  column('Available', (one) => numberIn(one, 'status.availableReplicas')),
  shownAge,
  wide(column('Containers', (one) => containersOf(one, 'name'))),
  wide(column('Images', (one) => containersOf(one, 'image'))),
  wide(column('Selector', (one) => selectorText(valueAt(one, 'spec.selector')) || none)),
];

export const bindingColumns = [
  nameColumn,
  column('Role', (one) => `${textIn(one, 'roleRef.kind')}/${textIn(one, 'roleRef.name')}`),
  shownAge,
  wide(column('Users', (one) => subjectsOf(one, 'User'))),
  wide(column('Groups', (one) => subjectsOf(one, 'Group'))),
  wide(column('ServiceAccounts', (one) => subjectsOf(one, 'ServiceAccount'))),
];

export function column(name: string, read: (object: KubeObject) => Json): Column {
  return { name, type: 'string', priority: 0, read };
}

/** A column of `-o wide`. */
export function wide(narrow: Column): Column {
  return { ...narrow, priority: 1 };
}

export function text(name: string, path: string): Column {
  return column(name, (object) => valueAt(object, path) ?? '');
}

export function textIn(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

function numberIn(object: KubeObject, path: string): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : 0;
}

function sizeOf(value: Json | undefined): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

function containersOf(deployment: KubeObject, field: string): string {
  const spec = objectAt(objectAt(objectAt(deployment, 'spec'), 'template'), 'spec');
  return objectsAt(spec, 'containers')
    .map((container) => shown(container[field] ?? ''))
    .join(',');
}

function subjectsOf(binding: KubeObject, kind: string): string {
  return objectsAt(binding, 'subjects')
    .filter((subject) => subject['kind'] === kind)
    .map(({ name, namespace }) =>
      kind === 'ServiceAccount' ? `${shown(namespace ?? '')}/${shown(name)}` : shown(name),
    )
    .join(', ');
}
