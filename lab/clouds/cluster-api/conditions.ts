/** Conditions as Cluster API writes them: each writer changes its own entry, and the time changes with the status. */
import type { Condition, Said } from '../../../src/kube/reconciler/conditions.ts';
import { annotations, type Cluster } from './kinds.ts';
import type { KubeObject } from '../../../src/kube/client/kube-object.ts';

export interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export function withSaid(object: Conditioned, said: readonly Said[], now: number): readonly Condition[] {
  const before = object.status?.conditions ?? [];
  const others = before.filter(({ type }) => !said.some((one) => one.type === type));
  const written = said.map((one) => writtenOf(object, one, now));
  return [...others, ...written].toSorted((a, b) => a.type.localeCompare(b.type));
}

export function conditionOf({ status }: Conditioned, type: string): Condition | undefined {
  return status?.conditions?.find((one) => one.type === type);
}

export function isTrue(object: Conditioned, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}

export function isPaused(object: KubeObject, cluster: Cluster): boolean {
  return cluster.spec.paused === true || object.metadata.annotations?.[annotations.paused] !== undefined;
}

export function saidPaused(paused: boolean): Said {
  return paused
    ? { type: 'Paused', status: 'True', reason: 'Paused' }
    : { type: 'Paused', status: 'False', reason: 'NotPaused' };
}

function writtenOf(
  object: Conditioned,
  { type, status, reason, message = '' }: Said,
  now: number,
): Condition {
  const before = conditionOf(object, type);
  const at = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : at;
  const observedGeneration = object.metadata.generation ?? 1;
  return { type, status, reason, message, observedGeneration, lastTransitionTime };
}
