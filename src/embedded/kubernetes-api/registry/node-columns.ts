/** The columns of Nodes and Events. */
import type { Json } from '../json.ts';
import type { KubeObject } from '../kube-object.ts';
import { nameColumn, shownAge, type Column } from '../table/columns.ts';
import { column, none, text, textIn, wide } from './builtin-columns.ts';
import { valueAt } from './field-path.ts';
import { objectAt, objectsAt } from './reading.ts';

const rolePrefix = 'node-role.kubernetes.io/';
const unknown = '<unknown>';

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column('Status', nodeStatus),
  column('Roles', nodeRoles),
  shownAge,
  text('Version', 'status.nodeInfo.kubeletVersion'),
  wide(column('Internal-IP', (node) => addressOf(node, 'InternalIP'))),
  wide(column('External-IP', (node) => addressOf(node, 'ExternalIP'))),
  wide(column('OS-Image', (node) => textIn(node, 'status.nodeInfo.osImage') || unknown)),
  wide(column('Kernel-Version', (node) => textIn(node, 'status.nodeInfo.kernelVersion') || unknown)),
  wide(
    column('Container-Runtime', (node) => textIn(node, 'status.nodeInfo.containerRuntimeVersion') || unknown),
  ),
];

function nodeStatus(node: KubeObject): string {
  const ready = objectsAt(objectAt(node, 'status'), 'conditions').find((one) => one['type'] === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return valueAt(node, 'spec.unschedulable') === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: KubeObject): string {
  const labels = Object.entries(objectAt(node.metadata, 'labels'));
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)].filter((role) => role !== '');
    return key === 'kubernetes.io/role' && typeof value === 'string' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? none : roles.toSorted().join(',');
}

function addressOf(node: KubeObject, type: string): Json {
  const found = objectsAt(objectAt(node, 'status'), 'addresses').find((one) => one['type'] === type);
  return found?.['address'] ?? none;
}

export const eventColumns: readonly Column[] = [
  { ...shownAge, name: 'Last Seen', read: lastSeen },
  text('Type', 'type'),
  text('Reason', 'reason'),
  column(
    'Object',
    (event) =>
      `${textIn(event, 'involvedObject.kind').toLowerCase()}/${textIn(event, 'involvedObject.name')}`,
  ),
  wide(text('Subobject', 'involvedObject.fieldPath')),
  wide(column('Source', sourceOf)),
  column('Message', (event) => textIn(event, 'message').trim()),
  wide({ ...shownAge, name: 'First Seen', read: firstSeen }),
  wide(column('Count', (event) => valueAt(event, 'series.count') ?? event['count'] ?? 1)),
  wide(nameColumn),
];

function firstSeen(event: KubeObject): Json {
  return event['firstTimestamp'] ?? event['eventTime'] ?? event.metadata['creationTimestamp'] ?? null;
}

function lastSeen(event: KubeObject): Json {
  return valueAt(event, 'series.lastObservedTime') ?? event['lastTimestamp'] ?? firstSeen(event);
}

function sourceOf(event: KubeObject): string {
  const component = textIn(event, 'source.component') || textIn(event, 'reportingComponent');
  const host = textIn(event, 'source.host') || textIn(event, 'reportingInstance');
  return host === '' ? component : `${component}, ${host}`;
}
