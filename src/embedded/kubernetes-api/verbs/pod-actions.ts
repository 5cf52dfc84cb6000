/** The Pod subresources binding and eviction. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { isDeleting, textAt, withFields, withMeta, type KubeObject } from '../kube-object.ts';
import { badRequest, invalid, StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { isDryRun, nameIn, notFound, subjectOf, timestamp, type Call } from './call.ts';
import { deleteOptionsIn } from './delete-options.ts';
import { remove } from './delete.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** Binds a Pod to the Node that a scheduler has chosen. */
export function bindPod(call: Call, binding: KubeObject): JsonObject {
  const node = nodeIn(binding);
  const pod = podOf(call);
  refuseUnbindable(call, pod, binding);
  const bound = withFields(withMeta(pod, annotated(pod, binding)), {
    spec: { ...fieldsOf(pod['spec']), nodeName: node },
    status: withScheduled(call, fieldsOf(pod['status'])),
  });
  if (!isDryRun(call)) call.store.put('pods', keyOf(call.namespace, pod.metadata.name), bound);
  return success;
}

/** Deletes the Pod. There are no PodDisruptionBudgets here that could reject an eviction. */
export function evictPod(call: Call, eviction: KubeObject): JsonObject {
  const pod = podOf(call);
  remove(call, pod, deleteOptionsIn(eviction['deleteOptions']));
  return success;
}

function podOf(call: Call): KubeObject {
  const name = nameIn(call);
  const pod = call.store.get('pods', keyOf(call.namespace, name));
  if (pod === undefined) throw notFound(call.resource, name);
  return pod;
}

function nodeIn(binding: KubeObject): string {
  const target = fieldsOf(binding['target']);
  const [kind, name] = [textAt(target, 'kind') ?? '', textAt(target, 'name') ?? ''];
  const subject = { group: '', kind: 'Binding', name: binding.metadata.name };
  if (kind !== '' && kind !== 'Node')
    throw invalid(subject, [
      {
        field: 'target.kind',
        reason: 'FieldValueNotSupported',
        message: `Unsupported value: ${JSON.stringify(kind)}: must be "Node" or empty`,
      },
    ]);
  if (name === '')
    throw invalid(subject, [
      { field: 'target.name', reason: 'FieldValueRequired', message: 'Required value' },
    ]);
  return name;
}

function refuseUnbindable(call: Call, pod: KubeObject, binding: KubeObject): void {
  const uid = textAt(binding.metadata, 'uid');
  const node = textAt(fieldsOf(pod['spec']), 'nodeName') ?? '';
  const problem =
    uid !== undefined && uid !== textAt(pod.metadata, 'uid')
      ? `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(pod.metadata, 'uid')}`
      : isDeleting(pod)
        ? `pod ${pod.metadata.name} is being deleted, cannot be assigned to a host`
        : node !== ''
          ? `pod ${pod.metadata.name} is already assigned to node ${JSON.stringify(node)}`
          : undefined;
  if (problem !== undefined)
    throw new StatusError('Conflict', problem, { subject: subjectOf(call.resource, pod.metadata.name) });
}

function annotated(pod: KubeObject, binding: KubeObject): JsonObject {
  const added = fieldsOf(binding.metadata['annotations']);
  if (Object.keys(added).length === 0) return {};
  return { annotations: { ...fieldsOf(pod.metadata['annotations']), ...added } };
}

function withScheduled(call: Call, status: JsonObject): JsonObject {
  const conditions: readonly Json[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  const others = conditions.filter((one) => !isJsonObject(one) || one['type'] !== 'PodScheduled');
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(call.clock),
  };
  return { ...status, conditions: [...others, scheduled] };
}

export function refuseOtherPod(call: Call, body: KubeObject): void {
  const { name } = body.metadata;
  if (name !== '' && name !== nameIn(call)) throw badRequest('name in URL does not match name in the body');
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
