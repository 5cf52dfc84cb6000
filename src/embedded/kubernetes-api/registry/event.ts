/**
 * Events: the core API and events.k8s.io show the same objects under two sets of field names. The core form is stored.
 */
import type { Json } from '../json.ts';
import { namespaceOf, withFields, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { valueAt } from './field-path.ts';

/** Core name, then the name in events.k8s.io. */
const names: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

export function toCoreEvent(event: KubeObject): KubeObject {
  return {
    ...renamed(
      event,
      names.map(([core, newer]) => [newer, core]),
    ),
    apiVersion: 'v1',
  };
}

export function toNewEvent(event: KubeObject): KubeObject {
  return { ...renamed(event, names), apiVersion: 'events.k8s.io/v1' };
}

function renamed(event: KubeObject, pairs: readonly (readonly [string, string])[]): KubeObject {
  const changes: Record<string, Json | undefined> = {};
  for (const [from, to] of pairs) {
    if (event[from] === undefined) continue;
    changes[to] = event[from];
    changes[from] = undefined;
  }
  return withFields(event, changes);
}

/** Events about cluster-scoped objects are in `default`. */
export function eventCauses(event: KubeObject): readonly Cause[] {
  const about = valueAt(event, 'involvedObject.namespace') ?? '';
  const place = namespaceOf(event);
  if (about === place || (about === '' && place === 'default')) return [];
  return [
    {
      field: 'involvedObject.namespace',
      reason: 'FieldValueInvalid',
      message: 'does not match event.namespace',
    },
  ];
}
