/**
 * Decides about one ConfigMap: its text belongs into a box of its own, and the box is removed with the ConfigMap. The
 * finalizer is added before the first box, and removed after the last. A box is wiped before it is removed, and rests
 * in between: a fill request still in flight would land in a box that no listing shows.
 */
import type { Note, Plan } from '../../../../src/kube/reconciler/plan.ts';
import type { KubeObject } from '../../../../src/kube/client/kube-object.ts';
import { keyOf } from '../../../../src/kube/client/kube-object.ts';
import type { Box } from './shelf.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Observed {
  readonly now: number;
  readonly object: ConfigMap;
  /** Read after the object was read. */
  readonly box: Box | undefined;
}

export type Action =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'fill'; readonly content: string }
  | { readonly kind: 'wipe' }
  /** Removes the box after its rest. */
  | { readonly kind: 'drop'; readonly since: number }
  | { readonly kind: 'remove-finalizer' };

export const finalizer = 'sample.muster.dev/box';
/** When to check whether the request has taken effect. */
const lookAgainMs = 5000;
/** The shelf has no watch, so the controller polls for drift. */
const driftMs = 10 * 60_000;
/**
 * No box is filled once its ConfigMap is being deleted, so after this long no fill request is in flight: longer than a
 * request can be late, plus clock differences.
 */
const restMs = 20 * 60_000;

export function wantedIn(object: ConfigMap): string {
  return object.data?.['text'] ?? '';
}

export function plan({ now, object, box }: Observed): Plan<Action> {
  const next = nextTransition(object, box);
  if (next === undefined) return { actions: [], notes: [], requeueAt: now + driftMs };
  const notes = [noteOf(object, next)];
  if ('since' in next && now < next.since + restMs)
    return { actions: [], notes, requeueAt: next.since + restMs };
  return { actions: [next], notes, requeueAt: now + lookAgainMs };
}

/** The order of these checks is the specification. */
function nextTransition(object: ConfigMap, box: Box | undefined): Action | undefined {
  const { deletionTimestamp } = object.metadata;
  const isHeld = object.metadata.finalizers?.includes(finalizer) === true;
  if (deletionTimestamp !== undefined) {
    if (!isHeld) return undefined;
    if (box === undefined) return { kind: 'remove-finalizer' };
    if (box.content !== undefined) return { kind: 'wipe' };
    return { kind: 'drop', since: Date.parse(deletionTimestamp) };
  }
  if (!isHeld) return { kind: 'add-finalizer' };
  const content = wantedIn(object);
  return box?.content === content ? undefined : { kind: 'fill', content };
}

const reasons: Readonly<Record<Action['kind'], readonly [string, string]>> = {
  'add-finalizer': ['Unheld', 'it has no finalizer yet'],
  fill: ['Unequal', 'its box holds something else'],
  wipe: ['Leaving', 'its box is not empty yet'],
  drop: ['Leaving', 'its box is empty, and leaves the list when it has rested'],
  'remove-finalizer': ['Left', 'its box is gone, and it may go'],
};

function noteOf(object: ConfigMap, { kind }: Action): Note {
  const [reason, detail] = reasons[kind];
  return { subject: keyOf(object), reason, detail };
}
