/**
 * What to do about one ConfigMap: its text belongs into a box of its own, and the box goes when the ConfigMap does.
 * A finalizer comes before the first box, and goes after the last; what is in a box is wiped before it leaves the list.
 */
import type { Note, Plan } from '../../../runtime/controller/plan.ts';
import type { KubeObject } from '../../../runtime/kube/kube-object.ts';
import { keyOf } from '../../../runtime/kube/kube-object.ts';
import type { Box } from './shelf.ts';

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

export interface Observed {
  readonly now: number;
  readonly object: ConfigMap;
  /** Looked at after the object was. */
  readonly box: Box | undefined;
}

export type Action =
  | { readonly kind: 'hold' }
  | { readonly kind: 'fill'; readonly content: string }
  | { readonly kind: 'empty' }
  | { readonly kind: 'let-go' };

export const finalizer = 'sample.muster.dev/box';
/** When to look whether what was asked for has happened. */
const lookAgainMs = 5000;
/** The shelf tells nobody when somebody else changes a box; one looks now and then. */
const driftMs = 10 * 60_000;

export function wantedIn(object: ConfigMap): string {
  return object.data?.['text'] ?? '';
}

export function plan({ now, object, box }: Observed): Plan<Action> {
  const action = next(object, box);
  if (action === undefined) return { actions: [], notes: [], lookAgainAt: now + driftMs };
  return { actions: [action], notes: [noteOf(object, action)], lookAgainAt: now + lookAgainMs };
}

/** The order of these questions is the specification. */
function next(object: ConfigMap, box: Box | undefined): Action | undefined {
  const isHeld = object.metadata.finalizers?.includes(finalizer) === true;
  if (object.metadata.deletionTimestamp !== undefined) {
    if (!isHeld) return undefined;
    return box === undefined ? { kind: 'let-go' } : { kind: 'empty' };
  }
  if (!isHeld) return { kind: 'hold' };
  const content = wantedIn(object);
  return box?.content === content ? undefined : { kind: 'fill', content };
}

const reasons: Readonly<Record<Action['kind'], readonly [string, string]>> = {
  hold: ['Unheld', 'it has no finalizer yet'],
  fill: ['Unequal', 'its box holds something else'],
  empty: ['Leaving', 'its box is still there'],
  'let-go': ['Left', 'its box is gone, and it may go'],
};

function noteOf(object: ConfigMap, { kind }: Action): Note {
  const [reason, detail] = reasons[kind];
  return { subject: keyOf(object), reason, detail };
}
