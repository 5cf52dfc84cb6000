/** Invariants between ConfigMaps and boxes, checked against the true state and not against any cache. */
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { LiveView } from '../../world/live-view.ts';
import type { Invariant } from '../../checkers/invariant.ts';
import { shownAnnotation } from './controller.ts';
import { finalizer } from './plan.ts';
import type { Shelf, ShelfRequest } from './shelf.ts';

/** Without these premises the run tested neither the sweep nor the lease. */
export const swept = 'a box without an owner was removed';
export const ledByBoth = 'another replica than the first acted';

/** A process that has just read an object may still send for it after its deletion, but only for this long. */
const answerMs = 60_000;

export interface Truth {
  readonly now: () => number;
  readonly objects: LiveView;
  readonly leases: LiveView;
  readonly violate: (id: string, why: string) => void;
  readonly happened: (premise: string) => void;
}

export interface Rules {
  /** Called at the send: at the landing of the request everything may have changed. */
  sent(request: ShelfRequest, process: string): void;
  invariants(shelf: Shelf): readonly Invariant[];
}

export function rulesOf(truth: Truth): Rules {
  let first: string | undefined;
  return {
    sent: (request, process) => {
      const problem = problemWith(truth, request, process);
      if (problem !== undefined) truth.violate(problem.id, problem.why);
      if (request.what === 'drop' && ownerOf(truth, request.box) === undefined) truth.happened(swept);
      if (isRead(request)) return;
      first ??= process;
      if (process !== first) truth.happened(ledByBoth);
    },
    invariants: (shelf) => [nothingForgotten(shelf), onlyTheSeenIsShown(truth, shelf)],
  };
}

interface Problem {
  readonly id: string;
  readonly why: string;
}

function problemWith(truth: Truth, request: ShelfRequest, process: string): Problem | undefined {
  if (isRead(request)) return undefined;
  const leader = leaderIn(truth.leases);
  if (leader !== process)
    return { id: 'single-writer', why: `${process} sends ${request.what} while ${leader} leads` };
  const owner = ownerOf(truth, request.box);
  if (request.what === 'put') return problemWithFilling(request.owner, owner, truth.now());
  return owner === undefined || fieldsOf(owner['metadata'])['deletionTimestamp'] !== undefined
    ? undefined
    : { id: 'live-box', why: `the box of a live ConfigMap is to be ${request.what}d` };
}

function problemWithFilling(name: string, owner: JsonObject | undefined, now: number): Problem | undefined {
  const { finalizers, deletionTimestamp: leavingSince } = fieldsOf(owner?.['metadata']);
  if (!isIn(finalizers, finalizer))
    return { id: 'held-first', why: `a box of ${name} is filled before it is held` };
  if (typeof leavingSince !== 'string' || now - Date.parse(leavingSince) <= answerMs) return undefined;
  return { id: 'left-alone', why: `a box of ${name} is filled long after the deletion of that ConfigMap` };
}

function isRead(request: ShelfRequest): request is Extract<ShelfRequest, { what: 'list' | 'read' }> {
  return request.what === 'list' || request.what === 'read';
}

function ownerOf({ objects }: Truth, box: string): JsonObject | undefined {
  return objects.objects.find(({ metadata }) => fieldsOf(metadata)['uid'] === box);
}

function nothingForgotten(shelf: Shelf): Invariant {
  return {
    id: 'nothing-forgotten',
    says: 'nothing is in a box that is not on the list',
    when: 'each',
    check: () => {
      const [box] = shelf.forgotten;
      return box === undefined ? undefined : `the box ${box} is on no list, and not empty`;
    },
  };
}

function onlyTheSeenIsShown({ objects }: Truth, shelf: Shelf): Invariant {
  let looked = -1;
  return {
    id: 'only-the-seen',
    says: 'what a ConfigMap shows was in its box',
    when: 'each',
    check: () => {
      if (looked === objects.changes) return undefined;
      looked = objects.changes;
      const liar = objects.objects.find(({ metadata }) => {
        const { uid, annotations } = fieldsOf(metadata);
        const shown = fieldsOf(annotations)[shownAnnotation];
        return typeof shown === 'string' && typeof uid === 'string' && !shelf.held(uid, shown);
      });
      return liar === undefined ? undefined : 'a ConfigMap shows what was never in its box';
    },
  };
}

/** A lease names a life of a process, such as `manager-a#2`. */
function leaderIn(leases: LiveView): string {
  const holder = fieldsOf(leases.get('default/sample')?.['spec'])['holderIdentity'];
  return typeof holder === 'string' ? holder.replace(/#.*$/, '') : '';
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function isIn(list: Json | undefined, wanted: string): boolean {
  return Array.isArray(list) && list.includes(wanted);
}
