/** The status of a Pod from what its containers do, as a kubelet writes it. Decides, and does nothing. */
import type { Container, ContainerState, PodCondition, PodStatus } from 'kubernetes-types/core/v1.js';
import type { Pod } from '../../kube/client/builtin-resources.ts';
import type { ContainerEnd } from '../drivers/port.ts';

export type ContainerRecord =
  | { readonly is: 'waiting' }
  | { readonly is: 'running'; readonly since: number }
  | { readonly is: 'ended'; readonly since: number; readonly at: number; readonly end: ContainerEnd };

export interface PodRecord {
  readonly startedAt: number;
  /** By name; who is not in it waits. */
  readonly containers: ReadonlyMap<string, ContainerRecord>;
  /** Nothing is started any more. */
  readonly isOver: boolean;
}

const waiting: ContainerRecord = { is: 'waiting' };
/** As much as a kubelet keeps of the log of a container that failed. */
const messageMax = 2048;

export function statusOf(pod: Pod, record: PodRecord, nowMs: number): PodStatus {
  const { initContainers = [], containers = [] } = pod.spec ?? {};
  const of = ({ name }: Container): ContainerRecord => record.containers.get(name) ?? waiting;
  const isInitialized = initContainers.every((one) => isDone(one, of(one)));
  const phase = phaseOf({ record, isInitialized, ends: containers.map(of) });
  const isReady = phase === 'Running' && containers.every((one) => of(one).is === 'running');
  return {
    phase,
    startTime: timeText(record.startedAt),
    conditions: conditionsOf(
      pod,
      { Initialized: isInitialized, Ready: isReady, ContainersReady: isReady },
      nowMs,
    ),
    ...(initContainers.length > 0 && {
      initContainerStatuses: initContainers.map((one) => containerStatus(pod, one, of(one))),
    }),
    containerStatuses: containers.map((one) => containerStatus(pod, one, of(one))),
  };
}

/** Of a Pod that a kubelet began and did not live to finish. Nobody knows how its containers ended. */
export function abandonedStatus({ status = {} }: Pod, nowMs: number): PodStatus {
  const at = timeText(nowMs);
  const unknown = {
    exitCode: 137,
    reason: 'ContainerStatusUnknown',
    startedAt: status.startTime ?? at,
    finishedAt: at,
  };
  const ended = (list: PodStatus['containerStatuses'] = []): NonNullable<PodStatus['containerStatuses']> =>
    list.map((one) =>
      one.state?.terminated === undefined
        ? { ...one, ready: false, started: false, state: { terminated: unknown } }
        : one,
    );
  return {
    phase: 'Failed',
    reason: 'AgentRestarted',
    message: 'the agent ended while the Pod was running, and the end of its containers is unknown',
    containerStatuses: ended(status.containerStatuses),
    ...(status.initContainerStatuses !== undefined && {
      initContainerStatuses: ended(status.initContainerStatuses),
    }),
  };
}

/** What two statuses of a Pod must have in common to say the same: its phase, and how its containers stand. */
export function outline({
  phase,
  initContainerStatuses = [],
  containerStatuses = [],
}: PodStatus = {}): string {
  const states = [...initContainerStatuses, ...containerStatuses].map(({ state }) =>
    Object.keys(state ?? {}).join(),
  );
  return [phase, ...states].join(' ');
}

export function isSidecar(container: Container): boolean {
  return container.restartPolicy === 'Always';
}

export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** An init container lets the next one begin. */
function isDone(container: Container, record: ContainerRecord): boolean {
  if (isSidecar(container)) return record.is !== 'waiting';
  return record.is === 'ended' && record.end.exitCode === 0;
}

interface Progress {
  readonly record: PodRecord;
  readonly isInitialized: boolean;
  readonly ends: readonly ContainerRecord[];
}

function phaseOf({ record, isInitialized, ends }: Progress): string {
  const isClean = isInitialized && ends.every((one) => one.is === 'ended' && one.end.exitCode === 0);
  if (record.isOver) return isClean ? 'Succeeded' : 'Failed';
  return isInitialized && ends.some((one) => one.is !== 'waiting') ? 'Running' : 'Pending';
}

/** What others have written stays; a condition that has not turned keeps its time. */
function conditionsOf(
  { status = {} }: Pod,
  facts: Readonly<Record<string, boolean>>,
  nowMs: number,
): PodCondition[] {
  const before = status.conditions ?? [];
  const ours = Object.entries(facts).map(([type, isTrue]) => {
    const value = isTrue ? 'True' : 'False';
    const old = before.find((one) => one.type === type);
    return old?.status === value ? old : { type, status: value, lastTransitionTime: timeText(nowMs) };
  });
  return [...ours, ...before.filter(({ type }) => !Object.hasOwn(facts, type))];
}

function containerStatus({ metadata }: Pod, container: Container, record: ContainerRecord) {
  const { name, image = '' } = container;
  const isRunning = record.is === 'running';
  return {
    name,
    image,
    imageID: image,
    restartCount: 0,
    ready: isRunning || (record.is === 'ended' && record.end.exitCode === 0 && !isSidecar(container)),
    started: isRunning,
    state: stateOf(record),
    ...(record.is !== 'waiting' && { containerID: `sim://${metadata.uid}/${name}` }),
  };
}

function stateOf(record: ContainerRecord): ContainerState {
  if (record.is === 'waiting') return { waiting: { reason: 'PodInitializing' } };
  const startedAt = timeText(record.since);
  if (record.is === 'running') return { running: { startedAt } };
  const { exitCode, reason = exitCode === 0 ? 'Completed' : 'Error', log = '' } = record.end;
  const message = exitCode === 0 ? '' : log.slice(-messageMax);
  return {
    terminated: {
      exitCode,
      reason,
      startedAt,
      finishedAt: timeText(record.at),
      ...(message !== '' && { message }),
    },
  };
}
