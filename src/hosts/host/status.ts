/** The status of a MacHost: state, reason and conditions, and the Events about changes. */
import { isClaimPendingName, isPoolName } from '../../api/names/host-names.ts';
import type { HostState } from '../../api/kinds/mac-host.ts';
import type { HostRecord, HostStatus } from '../state/host-record.ts';
import { nameClassOf, type FleetView } from '../state/host-state.ts';
import { recordOf, type MacHostObject } from '../state/objects.ts';
import { claimantIn } from '../state/ownership.ts';
import { timeText } from '../../platform/time-text.ts';
import { detachedWipe } from '../state/wipe-progress.ts';
import { otherFamilyOf } from '../state/wiped-family.ts';
import { withConditions, type Condition, type Said } from '../../kube/reconciler/conditions.ts';
import type { EventDraft, Subject } from '../../kube/reconciler/event-draft.ts';
import type { Report } from '../../kube/reconciler/plan.ts';
import { verdictFor, type Action, type Observed } from './plan.ts';
import type { Refusal } from './step-backoff.ts';

export interface HostStatusPatch {
  readonly state: HostState;
  readonly reason: string;
  readonly since: string;
  readonly conditions: readonly Condition[];
  /** Null once the order is gone and the wipe has ended: the same order again starts a new wipe. */
  readonly wipe?: null | { readonly parkedAt: string };
  readonly servedUid?: string | null;
  readonly poolPrefix?: string;
  readonly pendingName?: string | null;
  readonly pendingSince?: string | null;
}

const otherFamily = 'OSPinUnavailable';
const goodStates: ReadonlySet<string> = new Set(['Pooled', 'Owned']);
const stuckStates: ReadonlySet<string> = new Set(['Broken', 'Stranded', 'Quarantined']);

/** Undefined when the status is up to date. */
export function statusPatch(observed: Observed, refusal: Refusal | undefined): HostStatusPatch | undefined {
  const { status: before = {} } = observed.host;
  const verdict = verdictFor(observed);
  const { state } = verdict;
  const { reason, message } = refusal ?? { reason: verdict.reason, message: '' };
  const records = {
    // mutation: old-wipe-is-forgotten
    ...(hasOldWipe(observed) && { wipe: null }),
    ...recordsOf(observed, state),
  };
  const isSame = before.state === state && before.reason === reason && Object.keys(records).length === 0;
  if (isSame && messageIn(before) === message) return undefined;
  const at = timeText(observed.now);
  const said = [settledOf(observed), stalledOf(state, refusal)];
  const conditions = conditionsOf(observed.host, said, at);
  return { state, reason, since: sinceOf(before, state, at), conditions, ...records };
}

function sinceOf(before: HostStatus, state: HostState, at: string): string {
  return before.state === state ? (before.since ?? at) : at;
}

/** The order is gone, and nothing more can come of the wipe. */
function hasOldWipe({ host, now }: Observed): boolean {
  if (host.status?.wipe === undefined || host.spec?.release !== undefined) return false;
  return detachedWipe(recordOf(host), now) === 'none';
}

type Records = Pick<HostStatusPatch, 'wipe' | 'servedUid' | 'poolPrefix' | 'pendingName' | 'pendingSince'>;

/** Records what later decisions need and no other field keeps. Contains only fields that change. */
function recordsOf(observed: Observed, state: HostState): Records {
  const { host, view } = observed;
  const name = host.status?.observed?.name ?? '';
  return {
    ...servedRecord(observed, state),
    ...prefixRecord(name, host, [...view.poolPrefixes, host.spec?.release?.poolPrefix ?? '']),
    ...pendingRecord(name, observed),
    ...parkedRecord(observed),
  };
}

/** A free host has served no machine since its wipe. A machine cut off before it was bound was never served. */
function servedRecord({ host, view }: Observed, state: HostState): Records {
  const { servedUid } = host.status ?? {};
  if (state === 'Pooled') return servedUid === undefined ? {} : { servedUid: null };
  const claimant = claimantIn(view.ownershipOf(recordOf(host)).speakers);
  // mutation: only-bound-machine-was-served
  const isServing = claimant?.by.includes('serverID') === true;
  return isServing && claimant.uid !== servedUid ? { servedUid: claimant.uid } : {};
}

/** The prefix of an order may be out of use, because its last machine is gone. */
function prefixRecord(name: string, { status }: MacHostObject, prefixes: readonly string[]): Records {
  const poolPrefix = prefixes.find((prefix) => isPoolName(name, prefix));
  return poolPrefix === undefined || poolPrefix === status?.poolPrefix ? {} : { poolPrefix };
}

/** Records that the server has had a pool name since the wipe began. */
function parkedRecord({ host, view, now }: Observed): Records {
  const record = recordOf(host);
  const { spec, status } = record;
  const isRunning = status.wipe?.startedAt !== undefined && status.wipe.order === spec.release?.orderedAt;
  if (!isRunning || status.wipe?.parkedAt !== undefined) return {};
  const isParked = nameClassOf(record, view.ownershipOf(record), view) === 'pool';
  return isParked ? { wipe: { parkedAt: timeText(now) } } : {};
}

function pendingRecord(name: string, { host, now }: Observed): Records {
  const { pendingName } = host.status ?? {};
  if (!isClaimPendingName(name))
    return pendingName === undefined ? {} : { pendingName: null, pendingSince: null };
  return pendingName === name ? {} : { pendingName: name, pendingSince: timeText(now) };
}

/** Sent until the status has the reason. */
export function eventsFor(
  observed: Observed,
  subject: Subject,
  { results }: Pick<Report<Action>, 'results'>,
): readonly EventDraft[] {
  const { host } = observed;
  // The stored object differs from the one that this visit was planned from.
  if (results.some(({ outcome }) => outcome === 'precondition-lost')) return [];
  const { reason } = verdictFor(observed);
  const message = messages[reason]?.(observed);
  if (message === undefined || host.status?.reason === reason) return [];
  return [{ subject, type: 'Warning', reason, message }];
}

/** Event messages by reason. */
const messages: Readonly<Record<string, (observed: Observed) => string>> = {
  [otherFamily]: ({ host }) => otherFamilyOf(recordOf(host)) ?? '',
  Broken: ({ host: { metadata, status } }) =>
    `the provider shows the server as ${status?.observed?.status}: Muster does nothing with the host until that ends, and the rent goes on; ask the provider for the cause, or end the rent once no machine has the host: muster terminate ${metadata.name}`,
  OrderRefused: ({ host, view }) =>
    `${speakersText(recordOf(host), view)}, so the order of ${host.spec?.release?.orderedBy} is dropped; to release the host, delete the machine or detach it: muster detach NAMESPACE/MACHINE`,
  NamedByPerson: ({ host }) =>
    `a person named the server ${host.status?.observed?.name}: Muster no longer changes it, and drops the claim and the order; to keep the host, muster quarantine ${host.metadata.name}; to return the host to the pool, give the server a pool name`,
};

function speakersText(host: HostRecord, view: FleetView): string {
  const { speakers } = view.ownershipOf(host);
  const texts = speakers.map(({ namespace, name, by }) => `${namespace}/${name} (by ${by.join(', ')})`);
  return `${texts.length === 1 ? 'machine' : 'machines'} ${texts.join(' and ')} speak${texts.length === 1 ? 's' : ''} for the host`;
}

/** Undefined when the condition was never set. */
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
