/**
 * Finds hosts without an owner, and decides which of them to reclaim. Finding is always done. Reclaiming needs a name
 * that belongs to Muster, two complete inventories that agree, and the cap must allow it.
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
  /** Complete inventories of the zone since the host was first found without an owner. */
  readonly seenStranded: ReadonlyMap<string, number>;
  /** Hosts are found after each inventory, but reclaimed once a period. */
  readonly isReclaimDue: boolean;
  /** Empty: hosts are only reported. */
  readonly claimPrefix: string;
  readonly poolPrefix: string;
  readonly reclaimsMax: number;
  /** Reclaims within the last period: an early pass may reclaim that many fewer. */
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
    requeueAt: observed.nextAt,
  };
}

export function strandedIn({
  hosts,
  view,
  now,
}: Pick<Observed, 'hosts' | 'view' | 'now'>): readonly MacHostObject[] {
  return hosts.filter((host) => nextTransition(recordOf(host), view, now).state === 'Stranded');
}

/** Hosts rented without an owner, in both modes: the claim prefix limits only which hosts are reclaimed. */
export function unansweredIn(observed: Pick<Observed, 'hosts' | 'view' | 'now'>): readonly MacHostObject[] {
  const { hosts, view, now } = observed;
  return hosts.filter((host) => {
    const { state, reason } = nextTransition(recordOf(host), view, now);
    // mutation: orphan-gauge-counts-foreign
    return state === 'Stranded' || (state === 'Foreign' && reason !== 'NotYetObserved');
  });
}

/** Undefined when the host may be reclaimed. */
export function whyNot(host: MacHostObject, observed: Observed): string | undefined {
  const { claimPrefix, poolPrefix, seenStranded } = observed;
  const name = host.status?.observed?.name ?? '';
  // mutation: no-prefix-no-reclaim
  if (claimPrefix === '' || poolPrefix === '') return 'hosts are only reported, not reclaimed';
  // mutation: reclaim-skips-pending-name
  if (isClaimPendingName(name)) return 'an adoption may be under way; to release the host: muster release';
  // mutation: reclaim-only-our-names
  if (!isOurName(name, observed)) return `the server name ${name} does not begin with ${claimPrefix}`;
  const seen = seenStranded.get(host.metadata.name) ?? 0;
  // mutation: two-inventories-agree
  return seen < inventoriesNeeded
    ? `${seen} of ${inventoriesNeeded} inventories have shown the host as stranded`
    : undefined;
}

/** A pool name also belongs to Muster: its machine was deleted before the server was renamed. */
function isOurName(name: string, { claimPrefix, view }: Observed): boolean {
  // mutation: claim-style-name-is-ours
  if (isClaimStyleName(name, claimPrefix)) return true;
  return view.poolPrefixes.some((prefix) => isPoolName(name, prefix));
}

function noteOf(host: MacHostObject, observed: Observed, isChosen: boolean): Note {
  const { reclaimsMax, isReclaimDue } = observed;
  const later = isReclaimDue ? undefined : 'hosts are reclaimed once a period';
  const left = whyNot(host, observed) ?? later ?? `no more than ${reclaimsMax} hosts are reclaimed at once`;
  const detail = isChosen ? 'the host is reclaimed' : `the host is not reclaimed: ${left}`;
  return { subject: host.metadata.name, reason: 'Stranded', detail };
}
