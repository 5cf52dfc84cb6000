/** POST: a new object. The server sets uid, times, generation and revision, independent of the body. */
import { uuid } from '../../../platform/ids.ts';
import { trackUpdate } from '../apply/tracking.ts';
import { refuseEscalation } from '../auth/escalation.ts';
import { forbidden } from '../auth/forbidden.ts';
import type { Json } from '../json.ts';
import { finalizersOf, isDeleting, textAt, withMeta, type KubeObject } from '../kube-object.ts';
import { generateName } from '../registry/names.ts';
import { isPlain, metadataCauses } from '../registry/metadata-rules.ts';
import { storageName } from '../registry/resource.ts';
import { badRequest, invalid, StatusError, type Cause } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { isDryRun, kindSubject, notFound, subjectOf, timestamp, type Call } from './call.ts';
import { decodeWrite } from './decode.ts';
import { refuseWriteOptions } from './options.ts';
import { withoutRepeatedOwners } from './repeated-owners.ts';

const generateTriesMax = 8;
const namespaces = { group: '', plural: 'namespaces' } as const;

export function create(call: Call): KubeObject {
  refuseWriteOptions('CreateOptions', call);
  return createFrom(call, decodeWrite(call, call.body));
}

/** The managedFields of an object before it is stored; `sent` is the client's list. */
export type Track = (next: KubeObject, sent: Json | undefined) => Json | undefined;

/** Also for an update or an apply of a missing object, for kinds that allow that. */
export function createFrom(
  call: Call,
  decoded: KubeObject,
  track: Track = (next, sent) => trackUpdate(call, { old: undefined, next, sent }),
): KubeObject {
  const { resource } = call;
  if (resource.closed)
    throw new StatusError('Forbidden', 'create not allowed while custom resource definition is terminating');
  const placed = withoutRepeatedOwners(call, place(call, decoded));
  refuseClosedNamespace(call, placed.metadata.name);
  const bare = withMeta(placed, { managedFields: undefined });
  // Additions of the server have no owner.
  const managedFields = track(bare, placed.metadata['managedFields']);
  // Fields that a new object may not set are present and empty.
  const prepared = { ...resource.blank, ...resource.prepareNew(named(call, bare)) };
  const stamped = stampNew(call, prepared);
  const object = withMeta(resource.admit(stamped, undefined, call), { managedFields });
  refuseEscalation(call.rbac, call.identity, { resource, next: object, old: undefined });
  refuseInvalid(call, object);
  if (isDryRun(call)) return refuseTaken(call, object);
  if (/^0*[1-9]\d*$/.test(textAt(object.metadata, 'resourceVersion') ?? ''))
    throw new StatusError('Unknown', 'resourceVersion should not be set on objects to be created');
  refuseTaken(call, object);
  return call.store.put(storageName(resource), keyOf(call.namespace, object.metadata.name), object);
}

/** The right to change objects does not include the right to create them. */
export function refuseUnlessMayCreate({ rbac, identity, resource, namespace, name = '' }: Call): void {
  const { group, version, plural } = resource;
  const asked = { verb: 'create', group, version, resource: plural, subresource: '', namespace, name };
  if (!rbac.allows(identity, asked)) throw forbidden(identity, asked);
}

function refuseTaken(call: Call, object: KubeObject): KubeObject {
  const { resource } = call;
  if (call.store.get(storageName(resource), keyOf(call.namespace, object.metadata.name)) !== undefined) {
    const { name } = object.metadata;
    throw new StatusError('AlreadyExists', `${resource.plural} "${name}" already exists`, {
      subject: subjectOf(resource, name),
      // A retry may generate a free name.
      ...(object.metadata['generateName'] !== undefined && { retryAfterSeconds: 1 }),
    });
  }
  return object;
}

interface Before {
  readonly old?: KubeObject;
  /** Additional errors. */
  readonly more?: readonly Cause[];
}

export function refuseInvalid(call: Call, object: KubeObject, { old, more = [] }: Before = {}): void {
  const { kind } = object;
  const causes = [
    ...(kind === call.resource.kind ? [] : [otherKind(call, kind)]),
    ...more,
    ...metadataCauses(object, call.resource),
    ...call.resource.validate(object, old),
  ];
  if (causes.length > 0) throw invalid({ ...kindSubject(call.resource, object.metadata.name), kind }, causes);
  if (call.resource.plainFinalizers !== 'warned') return;
  const had = old === undefined ? [] : finalizersOf(old);
  for (const name of finalizersOf(object).filter((one) => isPlain(one) && !had.includes(one)))
    call.warn(`metadata.finalizers: "${name}": prefer a domain-qualified finalizer name`);
}

function otherKind({ resource }: Call, kind: string): Cause {
  const message = `Invalid value: ${JSON.stringify(kind)}: must be ${resource.kind}`;
  return { field: 'kind', reason: 'FieldValueInvalid', message };
}

/** The namespace comes from the path; another namespace in the body is an error. */
export function place(call: Call, object: KubeObject): KubeObject {
  const said = textAt(object.metadata, 'namespace') ?? '';
  if (said !== '' && said !== call.namespace && call.resource.namespaced) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  return withMeta(object, { namespace: call.namespace === '' ? undefined : call.namespace });
}

function named(call: Call, object: KubeObject): KubeObject {
  const base = textAt(object.metadata, 'generateName') ?? '';
  if (object.metadata.name !== '' || base === '') return object;
  for (let tries = 1; ; tries += 1) {
    const name = generateName(base, call.random);
    const taken = call.store.get(storageName(call.resource), keyOf(call.namespace, name)) !== undefined;
    if (!taken || tries === generateTriesMax) return withMeta(object, { name });
  }
}

function stampNew(call: Call, object: KubeObject): KubeObject {
  return withMeta(object, {
    uid: uuid(call.random),
    creationTimestamp: timestamp(call.clock),
    ...(call.resource.countsGenerations && { generation: 1 }),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
  });
}

export function refuseClosedNamespace(call: Call, name: string): void {
  if (!call.resource.namespaced) return;
  const namespace = call.store.get('namespaces', keyOf('', call.namespace));
  if (namespace === undefined) throw notFound(namespaces, call.namespace);
  if (!isDeleting(namespace)) return;
  const message = `unable to create new content in namespace ${call.namespace} because it is being terminated`;
  throw new StatusError('Forbidden', message, {
    subject: subjectOf(call.resource, name),
    causes: [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message }],
  });
}
