/** The served built-in kinds. For other kinds the server answers as the real server for an unknown kind. */
import { finalizersOf, textAt, type KubeObject } from '../kube-object.ts';
import type { Cause } from '../status-error.ts';
import { admitNode, nodeCauses, nodeDefaults } from './node.ts';
import { configMapColumns, leaseColumns, namespaceColumns, secretColumns } from './builtin-columns.ts';
import { verbs } from '../verb.ts';
import { builtin } from './builtin.ts';
import { wrong } from './causes.ts';
import { configMapCauses, secretDataCauses } from './config-data.ts';
import { eventCauses, toCoreEvent, toNewEvent } from './event.ts';
import { textReader, valueAt } from './field-path.ts';
import { immutableDataCauses } from './immutable-data.ts';
import {
  admitNamespace,
  markedNamespace,
  namespaceCauses,
  namespaceDefaults,
  newNamespace,
  specFinalizers,
} from './namespace.ts';
import { eventColumns, nodeColumns } from './node-columns.ts';
import { admitPod } from './pod-admission.ts';
import { podColumns } from './pod-columns.ts';
import { podDefaults } from './pod-defaults.ts';
import { newPod, nextPod, podCauses, podField, podGraceSeconds, podStatusDefaults } from './pod.ts';
import type { Resource } from './resource.ts';
import { conformSecret } from './secret.ts';
import { volumeAttachments } from './volume-attachment.ts';
import { workloadKinds } from './workload-kinds.ts';

const eventFields = Object.fromEntries(
  [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'type',
  ].map((path) => [path, textReader(path)]),
);
/** The same fields under the names of events.k8s.io. */
const newEventFields = Object.fromEntries(
  Object.entries(eventFields).map(([path, read]) => [
    path.replace(/^involvedObject\./, 'regarding.').replace(/^reportingComponent$/, 'reportingController'),
    read,
  ]),
);
const eventSource = (event: KubeObject): string =>
  textReader('source.component')(event) || textReader('reportingComponent')(event);

function leaseCauses(lease: KubeObject): readonly Cause[] {
  const least = { leaseDurationSeconds: 1, leaseTransitions: 0 };
  return Object.entries(least).flatMap(([field, min]) => {
    const value = valueAt(lease, `spec.${field}`);
    if (typeof value !== 'number' || value >= min) return [];
    return [wrong(`spec.${field}`, value, `must be at least ${min}`)];
  });
}

function secretCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const changedType = old !== undefined && old['type'] !== object['type'];
  const type: readonly Cause[] = changedType ? [wrong('type', object['type'], 'field is immutable')] : [];
  return [...type, ...secretDataCauses(object), ...immutableDataCauses(object, old)];
}

export const builtins: readonly Resource[] = [
  builtin({
    plural: 'namespaces',
    columns: namespaceColumns,
    undeletable: new Set(['default', 'kube-system', 'kube-public']),
    kind: 'Namespace',
    shortNames: ['ns'],
    namespaced: false,
    nameRule: 'label',
    returnsDeleted: true,
    subresources: ['finalize', 'status'],
    verbs: verbs.filter((verb) => verb !== 'deletecollection'),
    selectable: {
      'status.phase': textReader('status.phase'),
      name: (object) => object.metadata.name,
    },
    holders: (object) => [...finalizersOf(object), ...specFinalizers(object)],
    marked: markedNamespace,
    prepareNew: newNamespace,
    complete: namespaceDefaults,
    admit: admitNamespace,
    validate: namespaceCauses,
  }),
  builtin({
    plural: 'configmaps',
    columns: configMapColumns,
    kind: 'ConfigMap',
    shortNames: ['cm'],
    validate: (object, old) => [...configMapCauses(object), ...immutableDataCauses(object, old)],
  }),
  builtin({
    plural: 'secrets',
    columns: secretColumns,
    kind: 'Secret',
    selectable: { type: (object) => textAt(object, 'type') ?? '' },
    complete: conformSecret,
    validate: secretCauses,
  }),
  builtin({
    plural: 'serviceaccounts',
    kind: 'ServiceAccount',
    shortNames: ['sa'],
    returnsDeleted: true,
    subresources: ['token'],
  }),
  builtin({
    plural: 'pods',
    columns: podColumns,
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    countsGenerations: true,
    returnsDeleted: true,
    subresources: ['binding', 'eviction', 'log', 'status'],
    selectable: {
      'spec.nodeName': podField('spec', 'nodeName'),
      'spec.restartPolicy': podField('spec', 'restartPolicy'),
      'spec.schedulerName': podField('spec', 'schedulerName'),
      'spec.serviceAccountName': podField('spec', 'serviceAccountName'),
      'spec.hostNetwork': (pod) => String(valueAt(pod, 'spec.hostNetwork') === true),
      'status.phase': podField('status', 'phase'),
      'status.podIP': podField('status', 'podIP'),
      'status.nominatedNodeName': podField('status', 'nominatedNodeName'),
    },
    prepareNew: newPod,
    next: nextPod,
    complete: (object) => podStatusDefaults(podDefaults(object)),
    admit: admitPod,
    graceSeconds: podGraceSeconds,
    validate: podCauses,
  }),
  builtin({
    plural: 'nodes',
    columns: nodeColumns,
    kind: 'Node',
    shortNames: ['no'],
    namespaced: false,
    subresources: ['status'],
    // A kubelet registers a Node together with its status.
    prepareNew: (object) => object,
    complete: nodeDefaults,
    admit: admitNode,
    validate: nodeCauses,
    enumField: (path) => path.replace(/^spec\.taints/, 'metadata.taints'),
    selectable: { 'spec.unschedulable': (node) => String(valueAt(node, 'spec.unschedulable') === true) },
  }),
  builtin({
    plural: 'events',
    columns: eventColumns,
    kind: 'Event',
    shortNames: ['ev'],
    createOnUpdate: true,
    selectable: { ...eventFields, source: eventSource },
    validate: eventCauses,
  }),
  builtin({
    plural: 'events',
    columns: eventColumns.map((shown) => ({ ...shown, read: (event) => shown.read(toCoreEvent(event)) })),
    kind: 'Event',
    group: 'events.k8s.io',
    shortNames: ['ev'],
    createOnUpdate: true,
    storedAs: 'events',
    selectable: newEventFields,
    complete: toCoreEvent,
    serve: toNewEvent,
    validate: eventCauses,
  }),
  builtin({
    plural: 'leases',
    columns: leaseColumns,
    kind: 'Lease',
    group: 'coordination.k8s.io',
    unconditionalUpdate: false,
    createOnUpdate: true,
    plainFinalizers: 'taken',
    validate: leaseCauses,
  }),
  ...workloadKinds,
  volumeAttachments,
];
