/** What a MacHost says of itself: its state with the reason, conditions, and what people should hear of once. */
import type { HostState } from '../../api/mac-host.ts';
import { recordOf, type MacHostObject } from '../../fleet/objects.ts';
import { timeText } from '../../fleet/time-text.ts';
import { otherFamilyOf } from '../../fleet/wiped-family.ts';
import { withConditions, type Condition, type Said } from '../../runtime/controller/conditions.ts';
import type { Happening, Subject } from '../../runtime/controller/happening.ts';
import { verdictFor, type Observed } from './plan.ts';
import type { Refusal } from './refusals.ts';

export interface HostStatusPatch {
  readonly state: HostState;
  readonly reason: string;
  readonly since: string;
  readonly conditions: readonly Condition[];
  /** Nothing is known of a wipe any more once its order is gone: the same order again is a new one. */
  readonly wipe?: null;
}

const otherFamily = 'OSPinUnavailable';
const goodStates: ReadonlySet<string> = new Set(['Pooled', 'Owned']);
const stuckStates: ReadonlySet<string> = new Set(['Broken', 'Stranded', 'Quarantined']);

/** Undefined when all of it is written already. */
export function statusPatch(observed: Observed, refusal: Refusal | undefined): HostStatusPatch | undefined {
  const { status: before = {} } = observed.host;
  const verdict = verdictFor(observed);
  const { state } = verdict;
  const { reason, message } = refusal ?? { reason: verdict.reason, message: '' };
  const isOver = hasOldWipe(observed.host);
  const isSame = before.state === state && before.reason === reason && !isOver;
  if (isSame && messageIn(before) === message) return undefined;
  const at = timeText(observed.now);
  const since = before.state === state ? (before.since ?? at) : at;
  const said = [settledOf(observed), stalledOf(state, refusal)];
  const conditions = conditionsOf(observed.host, said, at);
  return { state, reason, since, conditions, ...(isOver && { wipe: null }) };
}

/** Of an order that is gone. */
function hasOldWipe({ spec, status }: MacHostObject): boolean {
  return status?.wipe !== undefined && spec?.release === undefined;
}

/** Until its status says it too. */
export function newsOf(observed: Observed, subject: Subject): readonly Happening[] {
  const { host } = observed;
  const { reason } = verdictFor(observed);
  const message = messages[reason]?.(host);
  if (message === undefined || host.status?.reason === reason) return [];
  return [{ subject, type: 'Warning', reason, message }];
}

/** What people should hear of once, by its reason. */
const messages: Readonly<Record<string, (host: MacHostObject) => string>> = {
  [otherFamily]: (host) => otherFamilyOf(recordOf(host)) ?? '',
  Broken: ({ metadata, status }) =>
    `the provider shows it as ${status?.observed?.status}: nothing is done with it until that ends, and its rent goes on; ask the provider what is wrong, or end the rent once no machine has it: muster terminate ${metadata.name}`,
  OrderRefused: ({ spec }) =>
    `${spec?.claim === undefined ? 'a machine' : `${spec.claim.namespace}/${spec.claim.name}`} lives on it, so the order of ${spec?.release?.orderedBy} is not carried out; to give the host up, delete the machine`,
};

/** Undefined when nothing was ever said. */
function messageIn({ conditions = [] }: NonNullable<MacHostObject['status']>): string | undefined {
  const stalled = conditions.find(({ type }) => type === 'Stalled');
  return stalled && (stalled.message ?? '');
}

function settledOf(observed: Observed): Said {
  const { state, reason } = verdictFor(observed);
  const status = goodStates.has(state) ? 'True' : 'False';
  if (reason !== otherFamily) return { type: 'Settled', status, reason: state };
  return { type: 'Settled', status, reason, message: otherFamilyOf(recordOf(observed.host)) ?? '' };
}

function stalledOf(state: HostState, refusal: Refusal | undefined): Said {
  if (refusal !== undefined)
    return { type: 'Stalled', status: 'True', reason: 'BackingOff', message: refusal.message };
  const isStuck = stuckStates.has(state);
  return { type: 'Stalled', status: isStuck ? 'True' : 'False', reason: isStuck ? state : 'Progressing' };
}

function conditionsOf(
  { metadata, status }: MacHostObject,
  said: readonly Said[],
  at: string,
): readonly Condition[] {
  const before = (status?.conditions ?? []).map((one): Condition => ({
    type: one.type,
    status: one.status,
    reason: one.reason ?? '',
    message: one.message ?? '',
    observedGeneration: one.observedGeneration ?? 0,
    lastTransitionTime: one.lastTransitionTime ?? at,
  }));
  return withConditions(said, { before, generation: metadata.generation ?? 0, at });
}
