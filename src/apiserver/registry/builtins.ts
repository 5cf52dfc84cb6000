/** The built-in kinds that are served so far. What is not here is answered as the real server answers an unknown kind. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { asObject, finalizersOf, namespaceOf, textAt, withFields, type KubeObject } from '../kube-object.ts';
import { prune } from '../schema/prune.ts';
import { validate } from '../schema/validate.ts';
import type { JsonSchema } from '../schema/structural-schema.ts';
import {
  configMapColumns,
  eventColumns,
  leaseColumns,
  namespaceColumns,
  nodeColumns,
  plainColumns,
  podColumns,
  secretColumns,
  serviceAccountColumns,
} from './builtin-columns.ts';
import { schemas } from './builtin-schemas.ts';
import { configMapCauses, secretDataCauses } from './config-data.ts';
import { eventCauses, toCoreEvent, toNewEvent } from './event.ts';
import { valueAt } from './field-path.ts';
import { withoutNulls } from './typed-value.ts';
import { newPod, podCauses, podField, podGraceSeconds } from './pod.ts';
import { conformSecret, refuseBrokenBytes } from './secret.ts';
import type { Resource, Subresource } from './resource.ts';
import { badRequest, type Cause } from '../status-error.ts';
import { immutableDataCauses } from './immutable-data.ts';
import {
  changedNamespace,
  markedNamespace,
  namespaceCauses,
  namespaceDefaults,
  newNamespace,
  specFinalizers,
} from './namespace.ts';

/** A kind is told by what sets it apart from the most ordinary one. */
type Shape = Pick<Resource, 'plural' | 'kind'> &
  Partial<Omit<Resource, 'plural' | 'kind' | 'subresources' | 'conform'>> & {
    readonly schema: JsonSchema;
    readonly subresources?: readonly Subresource[];
    /** What is filled in or folded after unknown fields are gone. */
    readonly complete?: (object: KubeObject) => KubeObject;
  };

function emptyParts(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

export function builtin(shape: Shape): Resource {
  const { schema, subresources, selectable, always = [], complete = (object) => object, ...rest } = shape;
  return {
    group: '',
    version: 'v1',
    singular: shape.kind.toLowerCase(),
    listKind: `${shape.kind}List`,
    serve: (object) => object,
    scale: undefined,
    columns: plainColumns,
    plainFinalizers: 'refused',
    graceSeconds: () => 0,
    prepareNew: shape.subresources?.includes('status') === true ? withoutStatus : (object) => object,
    prepareChanged: (object) => object,
    holders: finalizersOf,
    marked: (object) => object,
    shortNames: [],
    categories: [],
    namespaced: true,
    typedItems: false,
    countsGenerations: false,
    unconditionalUpdate: true,
    createOnUpdate: false,
    returnsDeleted: false,
    deletesTogether: true,
    finalizerOnDelete: undefined,
    closed: false,
    undeletable: new Set(),
    storedAs: undefined,
    nameRule: 'subdomain',
    conform: (object) => {
      const { value: pruned, unknown } = prune(schema, object);
      const value = withoutNulls(schema, pruned);
      // A client with types of its own could not even have sent this, so it is no matter of validity.
      const [wrong] = validate(schema, value);
      if (wrong !== undefined)
        throw badRequest(`${shape.kind} cannot be handled: ${wrong.field}: ${wrong.message}`);
      return {
        object: complete(asObject({ ...emptyParts(always), ...(isJsonObject(value) ? value : {}) }, object)),
        unknown,
      };
    },
    validate: () => [],
    ...rest,
    always,
    schema,
    subresources: new Set(subresources ?? []),
    selectable: { ...metadataFields, ...selectable },
  };
}

/** Where status has a path of its own, only that path writes it. */
export function withoutStatus(object: KubeObject): KubeObject {
  return withFields(object, { status: undefined });
}

/** Every resource can be selected by these two. */
export const metadataFields = {
  'metadata.name': (object: KubeObject) => object.metadata.name,
  'metadata.namespace': namespaceOf,
} as const;

function textIn(object: KubeObject, part: 'spec' | 'status', field: string): string {
  const value: Json | undefined = object[part];
  return isJsonObject(value) ? (textAt(value, field) ?? '') : '';
}

const eventFields = Object.fromEntries(
  [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'reason',
    'type',
  ].map((path) => [path, (object: KubeObject) => textAtPath(object, path)]),
);

function textAtPath(object: KubeObject, path: string): string {
  const value = valueAt(object, path);
  return typeof value === 'string' ? value : '';
}

function leaseCauses(lease: KubeObject): readonly Cause[] {
  const least = { leaseDurationSeconds: 1, leaseTransitions: 0 };
  return Object.entries(least).flatMap(([field, min]) => {
    const value = valueAt(lease, `spec.${field}`);
    if (typeof value !== 'number' || value >= min) return [];
    return [{ field: `spec.${field}`, reason: 'FieldValueInvalid', message: `must be at least ${min}` }];
  });
}

function secretCauses(object: KubeObject, old: KubeObject | undefined): readonly Cause[] {
  const changedType = old !== undefined && old['type'] !== object['type'];
  const type: readonly Cause[] = changedType
    ? [{ field: 'type', reason: 'FieldValueInvalid', message: 'field is immutable' }]
    : [];
  return [...type, ...secretDataCauses(object), ...immutableDataCauses(object, old)];
}

export const builtins: readonly Resource[] = [
  builtin({
    plural: 'namespaces',
    columns: namespaceColumns,
    undeletable: new Set(['default', 'kube-system', 'kube-public']),
    schema: schemas.namespace,
    kind: 'Namespace',
    shortNames: ['ns'],
    namespaced: false,
    nameRule: 'label',
    returnsDeleted: true,
    subresources: ['status'],
    selectable: {
      'status.phase': (object) => textIn(object, 'status', 'phase'),
      name: (object) => object.metadata.name,
    },
    holders: (object) => [...finalizersOf(object), ...specFinalizers(object)],
    marked: markedNamespace,
    validate: namespaceCauses,
    always: ['spec', 'status'],
    complete: namespaceDefaults,
    prepareNew: newNamespace,
    prepareChanged: changedNamespace,
    deletesTogether: false,
  }),
  builtin({
    plural: 'configmaps',
    columns: configMapColumns,
    schema: schemas.configMap,
    kind: 'ConfigMap',
    shortNames: ['cm'],
    complete: (object) => {
      refuseBrokenBytes(object, 'binaryData');
      return object;
    },
    validate: (object, old) => [...configMapCauses(object), ...immutableDataCauses(object, old)],
  }),
  builtin({
    plural: 'secrets',
    columns: secretColumns,
    schema: schemas.secret,
    kind: 'Secret',
    selectable: { type: (object) => textAt(object, 'type') ?? '' },
    complete: conformSecret,
    validate: secretCauses,
  }),
  builtin({
    plural: 'serviceaccounts',
    columns: serviceAccountColumns,
    schema: schemas.serviceAccount,
    kind: 'ServiceAccount',
    shortNames: ['sa'],
    returnsDeleted: true,
  }),
  builtin({
    plural: 'pods',
    columns: podColumns,
    schema: schemas.pod,
    kind: 'Pod',
    shortNames: ['po'],
    categories: ['all'],
    countsGenerations: true,
    returnsDeleted: true,
    subresources: ['status'],
    selectable: {
      'spec.nodeName': podField('spec', 'nodeName'),
      'spec.restartPolicy': podField('spec', 'restartPolicy'),
      'spec.serviceAccountName': podField('spec', 'serviceAccountName'),
      'status.phase': podField('status', 'phase'),
    },
    prepareNew: newPod,
    graceSeconds: podGraceSeconds,
    validate: podCauses,
  }),
  builtin({
    plural: 'nodes',
    columns: nodeColumns,
    schema: schemas.node,
    kind: 'Node',
    shortNames: ['no'],
    namespaced: false,
    subresources: ['status'],
    // A kubelet registers with what it knows of its machine, in one request.
    prepareNew: (object) => object,
  }),
  builtin({
    plural: 'events',
    columns: eventColumns,
    schema: schemas.event,
    kind: 'Event',
    shortNames: ['ev'],
    createOnUpdate: true,
    selectable: eventFields,
    validate: eventCauses,
  }),
  builtin({
    plural: 'events',
    schema: schemas.newEvent,
    kind: 'Event',
    group: 'events.k8s.io',
    shortNames: ['ev'],
    createOnUpdate: true,
    storedAs: 'events',
    selectable: eventFields,
    complete: toCoreEvent,
    serve: toNewEvent,
    validate: eventCauses,
  }),
  builtin({
    plural: 'leases',
    columns: leaseColumns,
    schema: schemas.lease,
    kind: 'Lease',
    group: 'coordination.k8s.io',
    unconditionalUpdate: false,
    createOnUpdate: true,
    always: ['spec'],
    plainFinalizers: 'taken',
    validate: leaseCauses,
  }),
];
