/** Admission of a new Pod: ServiceAccount, priority, and tolerations of failing Nodes. */
import type { JsonObject } from '../json.ts';
import { namespaceOf, textAt, withFields, type KubeObject } from '../kube-object.ts';
import { StatusError } from '../status-error.ts';
import { keyOf } from '../store/store.ts';
import { withAccount } from './pod-account.ts';
import { withQuality } from './pod.ts';
import { filled, objectAt, objectsAt } from './reading.ts';
import type { Surroundings } from './resource.ts';

const patienceSeconds = 300;
const troubles = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
const systemPriorities: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

export function admitPod(pod: KubeObject, old: KubeObject | undefined, around: Surroundings): KubeObject {
  if (old !== undefined) return withFields(pod, { spec: withPatience(objectAt(pod, 'spec')) });
  const spec = withPriority(pod, withAccount(pod, objectAt(pod, 'spec'), around));
  return withQuality(withFields(pod, { spec: withRuntime(pod, withPatience(spec), around) }));
}

function withPriority(pod: KubeObject, spec: JsonObject): JsonObject {
  const name = textAt(spec, 'priorityClassName') ?? '';
  const priority = name === '' ? 0 : systemPriorities.get(name);
  if (priority === undefined) throw refused(pod, `no PriorityClass with name ${name} was found`);
  const computed: JsonObject = { priority, preemptionPolicy: 'PreemptLowerPriority' };
  const own = Object.keys(computed).find((key) => (spec[key] ?? computed[key]) !== computed[key]);
  if (own !== undefined) throw refused(pod, `the value of ${own} must not be provided in pod spec`);
  return { ...spec, ...computed };
}

/** Adds the default tolerations unless the Pod has its own. */
function withPatience(spec: JsonObject): JsonObject {
  const own = objectsAt(spec, 'tolerations');
  const added = troubles
    .filter((key) => !own.some((toleration) => covers(toleration, key)))
    .map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: patienceSeconds }));
  return added.length === 0 ? spec : { ...spec, tolerations: [...own, ...added] };
}

function covers(toleration: JsonObject, key: string): boolean {
  const [said, effect] = [textAt(toleration, 'key') ?? '', textAt(toleration, 'effect') ?? ''];
  return (said === key || said === '') && (effect === 'NoExecute' || effect === '');
}

/** A RuntimeClass may add overhead and a node selector. */
function withRuntime(pod: KubeObject, spec: JsonObject, { store }: Surroundings): JsonObject {
  const name = textAt(spec, 'runtimeClassName') ?? '';
  if (name === '' && Object.keys(objectAt(spec, 'overhead')).length > 0)
    throw refused(pod, 'Pod Overhead set without corresponding RuntimeClass defined Overhead');
  if (name === '') return spec;
  const runtime = store.get('runtimeclasses.node.k8s.io', keyOf('', name));
  if (runtime === undefined) throw refused(pod, `RuntimeClass "${name}" not found`);
  const scheduling = objectAt(runtime, 'scheduling');
  const selector = filled(objectAt(spec, 'nodeSelector'), objectAt(scheduling, 'nodeSelector'));
  const overhead = objectAt(objectAt(runtime, 'overhead'), 'podFixed');
  const tolerations = [...objectsAt(spec, 'tolerations'), ...objectsAt(scheduling, 'tolerations')];
  return {
    ...spec,
    ...(Object.keys(selector).length > 0 && { nodeSelector: selector }),
    ...(Object.keys(overhead).length > 0 && { overhead }),
    ...(tolerations.length > 0 && { tolerations }),
  };
}

function refused(pod: KubeObject, why: string): StatusError {
  const { name } = pod.metadata;
  return new StatusError('Forbidden', `pods "${name}" in ${namespaceOf(pod)} is forbidden: ${why}`, {
    subject: { group: '', kind: 'pods', name },
  });
}
