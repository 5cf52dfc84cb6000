/** Schedules waiting Pods on Nodes, and reports the result in the Pod and in an Event. */
import type { JsonObject } from '../json.ts';
import { isDeleting, namespaceOf, textAt, withFields, type KubeObject } from '../kube-object.ts';
import { bindingKind } from '../registry/action-kinds.ts';
import { objectAt, objectsAt } from '../registry/reading.ts';
import { choose } from '../scheduler/choose.ts';
import type { Key } from '../store/store.ts';
import { timestamp, type Call, type Parts } from '../verbs/call.ts';
import { decodeWrite } from '../verbs/decode.ts';
import { bindPod } from '../verbs/pod-actions.ts';
import { callOn, createUnlessThere, write } from './writing.ts';

const ownName = 'default-scheduler';

/**
 * Any change of a Node or a Pod may free capacity, so each triggers one pass over all waiting Pods. Without waiting
 * Pods there is no pass: a pass reads everything, and with ten thousand running Pods it would slow each write by ten
 * milliseconds.
 */
export function runScheduling(parts: Parts, lagMs: number): void {
  const waiting = new Set<Key>();
  let isDue = false;
  const wake = (): void => {
    if (isDue || waiting.size === 0) return;
    isDue = true;
    parts.clock.after(lagMs, () => {
      isDue = false;
      pass(parts);
    });
  };
  parts.store.follow('nodes', 'start', wake);
  parts.store.follow('pods', 'start', ({ type, key, object }) => {
    if (type !== 'DELETED' && isWaiting(object)) waiting.add(key);
    else waiting.delete(key);
    wake();
  });
}

/** The oldest Pod first; each scheduled Pod reduces the capacity for the next. */
function pass(parts: Parts): void {
  const waiting = all(parts, 'pods').filter(isWaiting).toSorted(byAge);
  for (const pod of waiting) {
    const choice = choose(pod, all(parts, 'nodes'), all(parts, 'pods'));
    if ('node' in choice) place(parts, pod, choice.node);
    else explain(parts, pod, choice.problem);
  }
}

function all({ store }: Parts, storage: string): readonly KubeObject[] {
  const snapshot = store.list(storage);
  if (snapshot === 'expired') throw new Error('the current state cannot have expired');
  return snapshot.items;
}

function isWaiting(pod: KubeObject): boolean {
  const spec = objectAt(pod, 'spec');
  const scheduler = textAt(spec, 'schedulerName') ?? ownName;
  const isPlaced = (textAt(spec, 'nodeName') ?? '') !== '';
  return (
    !isPlaced && scheduler === ownName && !isDeleting(pod) && objectsAt(spec, 'schedulingGates').length === 0
  );
}

function byAge(a: KubeObject, b: KubeObject): number {
  const [left, right] = [a, b].map((pod) => textAt(pod.metadata, 'creationTimestamp') ?? '');
  return (left ?? '') < (right ?? '') ? -1 : Number((left ?? '') > (right ?? ''));
}

function place(parts: Parts, pod: KubeObject, node: string): void {
  const call: Call = { ...callOn(parts, 'pods', namespaceOf(pod)), name: pod.metadata.name };
  const { name, uid = '' } = pod.metadata;
  const body = { metadata: { name, uid }, target: { kind: 'Node', name: node } };
  bindPod(call, decodeWrite({ ...call, resource: bindingKind }, body));
  const message = `Successfully assigned ${namespaceOf(pod)}/${name} to ${node}`;
  writeEvent(parts, pod, { type: 'Normal', reason: 'Scheduled', message });
}

/** Reports a repeated problem only once. */
function explain(parts: Parts, pod: KubeObject, message: string): void {
  const status = objectAt(pod, 'status');
  const conditions = objectsAt(status, 'conditions');
  const before = conditions.find((one) => one['type'] === 'PodScheduled');
  if (before?.['message'] === message) return;
  const condition: JsonObject = {
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    lastProbeTime: null,
    lastTransitionTime: before?.['lastTransitionTime'] ?? timestamp(parts.clock),
  };
  const others = conditions.filter((one) => one !== before);
  const next = withFields(pod, { status: { ...status, conditions: [...others, condition] } });
  const call: Call = { ...callOn(parts, 'pods', namespaceOf(pod)), subresource: 'status' };
  write(call, pod, next);
  writeEvent(parts, pod, { type: 'Warning', reason: 'FailedScheduling', message });
}

interface SchedulingEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

function writeEvent(parts: Parts, pod: KubeObject, events: SchedulingEvent): void {
  const namespace = namespaceOf(pod);
  const { name, uid = '', resourceVersion = '' } = pod.metadata;
  const at = timestamp(parts.clock);
  createUnlessThere(callOn(parts, 'events', namespace), {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { generateName: `${name}.`, namespace },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid, resourceVersion },
    source: { component: ownName },
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
    reportingComponent: ownName,
    reportingInstance: '',
    ...events,
  });
}
