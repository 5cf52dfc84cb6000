/**
 * Which hosts nobody answers for, and which of them are taken back. Finding them costs nothing and is always done; taking
 * one back needs a name that is ours, two complete inventories that agree, and room under the cap.
 */
import { isClaimPendingName, isClaimStyleName, isPoolName } from '../../api/names/host-names.ts';
import { nextTransition } from '../state/host-state-machine.ts';
import type { FleetView } from '../state/host-state.ts';
import { recordOf, type MacHostObject } from '../state/objects.ts';
import type { Note, Plan } from '../../kube/reconciler/plan.ts';

export interface Observed {
  readonly now: number;
  readonly nextAt: number;
  readonly hosts: readonly MacHostObject[];
  readonly view: FleetView;
  /** Complete inventories of its zone since each host was first found without an owner. */
  readonly seenStranded: ReadonlyMap<string, number>;
  /** Hosts are found after each inventory; they are taken back once a period. */
  readonly isReclaimDue: boolean;
  /** Empty: find and tell, and touch nothing. */
  readonly claimPrefix: string;
  readonly poolPrefix: string;
  readonly reclaimsMax: number;
  /** How many of those were taken back within the last period: a pass that comes early has fewer left. */
  readonly reclaimedLately: number;
}

export interface Action {
  readonly kind: 'reclaim';
  readonly host: MacHostObject;
}

export const inventoriesNeeded = 2;

export function plan(observed: Observed): Plan<Action> {
  const stranded = strandedIn(observed);
  const due = stranded.filter((host) => whyNot(host, observed) === undefined);
  const left = Math.max(0, observed.reclaimsMax - observed.reclaimedLately);
  const chosen = observed.isReclaimDue ? due.slice(0, left) : [];
  return {
    actions: chosen.map((host) => ({ kind: 'reclaim', host })),
    notes: stranded.map((host) => noteOf(host, observed, chosen.includes(host))),
    lookAgainAt: observed.nextAt,
  };
}

export function strandedIn({
  hosts,
  view,
  now,
}: Pick<Observed, 'hosts' | 'view' | 'now'>): readonly MacHostObject[] {
  return hosts.filter((host) => nextTransition(recordOf(host), view, now).state === 'Stranded');
}

/** Hosts that are rented without an owner, in both modes: the prefix of claims limits only what may be taken back. */
export function unansweredIn(observed: Pick<Observed, 'hosts' | 'view' | 'now'>): readonly MacHostObject[] {
  const { hosts, view, now } = observed;
  return hosts.filter((host) => {
    const { state, reason } = nextTransition(recordOf(host), view, now);
    // mutation: orphan-gauge-counts-foreign
    return state === 'Stranded' || (state === 'Foreign' && reason !== 'NotYetObserved');
  });
}

/** Undefined when it may be taken back. */
export function whyNot(host: MacHostObject, observed: Observed): string | undefined {
  const { claimPrefix, poolPrefix, seenStranded } = observed;
  const name = host.status?.observed?.name ?? '';
  // mutation: no-prefix-no-reclaim
  if (claimPrefix === '' || poolPrefix === '') return 'hosts are only reported, not taken back';
  // mutation: reclaim-skips-pending-name
  if (isClaimPendingName(name)) return 'an adoption may be under way; to give it back: muster release';
  // mutation: reclaim-only-our-names
  if (!isOurName(name, observed)) return `its name ${name} does not begin with ${claimPrefix}`;
  const seen = seenStranded.get(host.metadata.name) ?? 0;
  // mutation: two-inventories-agree
  return seen < inventoriesNeeded
    ? `${seen} of ${inventoriesNeeded} inventories have shown it so`
    : undefined;
}

/** A pool name is ours as well: its machine was gone before the server was given another. */
function isOurName(name: string, { claimPrefix, view }: Observed): boolean {
  // mutation: claim-style-name-is-ours
  if (isClaimStyleName(name, claimPrefix)) return true;
  return view.poolPrefixes.some((prefix) => isPoolName(name, prefix));
}

function noteOf(host: MacHostObject, observed: Observed, isChosen: boolean): Note {
  const { reclaimsMax, isReclaimDue } = observed;
  const later = isReclaimDue ? undefined : 'hosts are taken back once a period';
  const left = whyNot(host, observed) ?? later ?? `no more than ${reclaimsMax} are taken back at once`;
  const detail = isChosen ? 'it is taken back' : `it is left alone: ${left}`;
  return { subject: host.metadata.name, reason: 'Stranded', detail };
}
