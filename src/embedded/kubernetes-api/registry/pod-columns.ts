/** The columns of Pods: one status word for all containers. */
import type { JsonObject } from '../json.ts';
import { isDeleting, type KubeObject } from '../kube-object.ts';
import { nameColumn, shownAge, type Column } from '../table/columns.ts';
import { column, none, textIn, wide } from './builtin-columns.ts';
import { objectAt, objectsAt, shown } from './reading.ts';

export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', readyContainers),
  column('Status', podWord),
  column('Restarts', (pod) => `${restarts(pod)}`),
  shownAge,
  wide(column('IP', (pod) => textIn(pod, 'status.podIP') || none)),
  wide(column('Node', (pod) => textIn(pod, 'spec.nodeName') || none)),
  wide(column('Nominated Node', (pod) => textIn(pod, 'status.nominatedNodeName') || none)),
  wide(column('Readiness Gates', gates)),
];

function statuses(pod: KubeObject, list = 'containerStatuses'): readonly JsonObject[] {
  return objectsAt(objectAt(pod, 'status'), list);
}

function readyContainers(pod: KubeObject): string {
  const ready = statuses(pod).filter((one) => one['ready'] === true && isRunning(one)).length;
  return `${ready}/${objectsAt(objectAt(pod, 'spec'), 'containers').length}`;
}

function isRunning(status: JsonObject): boolean {
  return 'running' in objectAt(status, 'state');
}

function restarts(pod: KubeObject): number {
  return statuses(pod).reduce((sum, one) => sum + Number(one['restartCount'] ?? 0), 0);
}

/** The first container with a reason counts. */
function podWord(pod: KubeObject): string {
  const base = textIn(pod, 'status.reason') || textIn(pod, 'status.phase');
  const word =
    statuses(pod)
      .map(wordOf)
      .find((one) => one !== '') ?? base;
  const running = statuses(pod).some((one) => one['ready'] === true && isRunning(one));
  if (!isDeleting(pod)) return word === 'Completed' && running ? runningWord(pod) : word;
  return textIn(pod, 'status.reason') === 'NodeLost' ? 'Unknown' : 'Terminating';
}

function wordOf(status: JsonObject): string {
  const { waiting, terminated } = { waiting: {}, terminated: {}, ...objectAt(status, 'state') };
  const [wait, end] = [objectAt({ waiting }, 'waiting'), objectAt({ terminated }, 'terminated')];
  if (typeof wait['reason'] === 'string' && wait['reason'] !== '') return wait['reason'];
  if (typeof end['reason'] === 'string' && end['reason'] !== '') return end['reason'];
  if (Object.keys(end).length === 0) return '';
  const signal = Number(end['signal'] ?? 0);
  return signal === 0 ? `ExitCode:${shown(end['exitCode'] ?? 0)}` : `Signal:${signal}`;
}

function runningWord(pod: KubeObject): string {
  const ready = objectsAt(objectAt(pod, 'status'), 'conditions').some(
    (one) => one['type'] === 'Ready' && one['status'] === 'True',
  );
  return ready ? 'Running' : 'NotReady';
}

function gates(pod: KubeObject): string {
  const wanted = objectsAt(objectAt(pod, 'spec'), 'readinessGates');
  if (wanted.length === 0) return none;
  const conditions = objectsAt(objectAt(pod, 'status'), 'conditions');
  const open = wanted.filter((gate) =>
    conditions.some((one) => one['type'] === gate['conditionType'] && one['status'] === 'True'),
  );
  return `${open.length}/${wanted.length}`;
}
