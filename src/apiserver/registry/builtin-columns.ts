/** The columns of the built-in kinds, as kubectl users know them. */
import { isJsonList, isJsonObject, type Json } from '../json.ts';
import { isDeleting, type KubeObject } from '../kube-object.ts';
import { ageColumn, nameColumn, type Column } from '../table/columns.ts';
import { valueAt } from './field-path.ts';

export const plainColumns: readonly Column[] = [nameColumn, ageColumn];

export const namespaceColumns = [nameColumn, text('Status', 'status.phase'), ageColumn];

export const configMapColumns = [
  nameColumn,
  count('Data', (object) => sizeOf(object['data']) + sizeOf(object['binaryData'])),
  ageColumn,
];

export const secretColumns = [
  nameColumn,
  text('Type', 'type'),
  count('Data', (object) => sizeOf(object['data'])),
  ageColumn,
];

export const serviceAccountColumns = [
  nameColumn,
  count('Secrets', (object) => sizeOf(object['secrets'])),
  ageColumn,
];

export const leaseColumns = [nameColumn, text('Holder', 'spec.holderIdentity'), ageColumn];

export const nodeColumns = [
  nameColumn,
  column('Status', nodeStatus),
  text('Version', 'status.nodeInfo.kubeletVersion'),
  ageColumn,
];

export const podColumns = [
  nameColumn,
  column('Ready', readyContainers),
  column('Status', (pod) =>
    isDeleting(pod) ? 'Terminating' : (valueAt(pod, 'status.reason') ?? valueAt(pod, 'status.phase') ?? ''),
  ),
  ageColumn,
  { ...text('Node', 'spec.nodeName'), priority: 1 },
];

export const eventColumns = [
  {
    ...ageColumn,
    name: 'Last Seen',
    read: (event: KubeObject) =>
      valueAt(event, 'lastTimestamp') ??
      valueAt(event, 'eventTime') ??
      event.metadata['creationTimestamp'] ??
      null,
  },
  text('Type', 'type'),
  text('Reason', 'reason'),
  column(
    'Object',
    (event) =>
      `${textIn(event, 'involvedObject.kind').toLowerCase()}/${textIn(event, 'involvedObject.name')}`,
  ),
  text('Message', 'message'),
];

export const definitionColumns = [nameColumn, { ...ageColumn, name: 'Created At', type: 'string' as const }];

function column(name: string, read: (object: KubeObject) => Json): Column {
  return { name, type: 'string', priority: 0, read };
}

function text(name: string, path: string): Column {
  return column(name, (object) => valueAt(object, path) ?? '');
}

function textIn(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

function count(name: string, read: (object: KubeObject) => number): Column {
  return { name, type: 'integer', priority: 0, read };
}

function sizeOf(value: Json | undefined): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function nodeStatus(node: KubeObject): string {
  const conditions = valueAt(node, 'status.conditions');
  const ready = isJsonList(conditions)
    ? conditions.filter(isJsonObject).find((one) => one['type'] === 'Ready')
    : undefined;
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec.unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

function readyContainers(pod: KubeObject): string {
  const statuses = valueAt(pod, 'status.containerStatuses');
  const ready = isJsonList(statuses)
    ? statuses.filter((one) => isJsonObject(one) && one['ready'] === true).length
    : 0;
  return `${ready}/${sizeOf(valueAt(pod, 'spec.containers'))}`;
}
