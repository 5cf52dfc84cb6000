/**
 * The result of one complete listing of a zone: a MacHost for each new server, updates for known servers, and a read
 * of servers that were missing twice.
 */
import { goneStatus } from '../state/host-record.ts';
import { isClaimStyleName } from '../../api/names/host-names.ts';
import type { FleetError } from '../../platform/errors/fleet-error.ts';
import { hasChanged, pricedOf, type PricedPatch } from '../state/observed-server.ts';
import type { MacHostObject } from '../state/objects.ts';
import type { Server } from '../provider/port.ts';
import type { Note, Plan } from '../../kube/reconciler/plan.ts';

export interface Observed {
  readonly zone: string;
  /** When the listing was requested. The listing may show that moment or an earlier one. */
  readonly began: number;
  readonly servers: readonly Server[];
  /** The MacHosts of the zone, by id. */
  readonly known: ReadonlyMap<string, MacHostObject>;
  /** Consecutive complete listings without the host, including this one. */
  readonly missed: ReadonlyMap<string, number>;
  readonly claimPrefix: string;
  /** Whether a machine has the name of the server, or names its id. */
  readonly isSpokenFor: (server: Server) => boolean;
  /** In euros a day, by type of server. */
  readonly prices: ReadonlyMap<string, number>;
  readonly nextAt: number;
}

/** The provider may not know the zone, so there is no listing. */
export interface Refused {
  readonly zone: string;
  readonly began: number;
  readonly refusal: Pick<FleetError, 'reason' | 'message'>;
  readonly nextAt: number;
}

export type Action =
  | { readonly kind: 'enter'; readonly id: string; readonly used: boolean; readonly seen: PricedPatch }
  | { readonly kind: 'see'; readonly host: MacHostObject; readonly seen: PricedPatch }
  | { readonly kind: 'miss'; readonly host: MacHostObject }
  /** All hosts of the zone: either every server is gone, or no host is marked as gone. */
  | { readonly kind: 'miss-all'; readonly hosts: readonly MacHostObject[] };

/** One listing may be wrong. Two in a row, confirmed by a read of the server, count. */
const missesNeeded = 2;
/** More missing servers at once are more likely an error of the listing than so many lost servers. */
const missesMax = 5;

export function plan(observed: Observed | Refused): Plan<Action> {
  return 'refusal' in observed ? planRefused(observed) : planListed(observed);
}

function planRefused({ zone, refusal, nextAt }: Refused): Plan<Action> {
  const note = { subject: zone, reason: refusal.reason, detail: refusal.message };
  return { actions: [], notes: [note], requeueAt: nextAt };
}

function planListed(observed: Observed): Plan<Action> {
  const { servers, known, nextAt } = observed;
  const missing = missingIn(observed);
  // Wrong credentials or a wrong project also yield an empty listing.
  const isEmpty = servers.length === 0 && known.size > 0;
  // mutation: believe-true-empty-listing
  const gone = isEmpty ? allOrNone(observed, missing) : missing.slice(0, missesMax);
  const closer: readonly Action[] = isEmpty
    ? [{ kind: 'miss-all', hosts: gone }]
    : gone.map((host) => ({ kind: 'miss', host }));
  return {
    actions: [
      ...servers.flatMap((server) => actionFor(server, observed)),
      ...(gone.length === 0 ? [] : closer),
    ],
    notes: missing.map((host) => noteOf(host, gone.includes(host))),
    requeueAt: nextAt,
  };
}

function allOrNone({ known }: Observed, missing: readonly MacHostObject[]): readonly MacHostObject[] {
  const there = [...known.values()].filter(({ status }) => status?.observed?.status !== goneStatus);
  return there.length === missing.length ? missing : [];
}

function actionFor(server: Server, observed: Observed): readonly Action[] {
  const { known, claimPrefix, isSpokenFor, prices } = observed;
  const seen = pricedOf(server, prices);
  const host = known.get(server.id);
  if (host === undefined)
    return [
      {
        kind: 'enter',
        id: server.id,
        used: mayBeUsed(server.name, claimPrefix) || isSpokenFor(server),
        seen,
      },
    ];
  return hasChanged(seen, host.status?.observed) ? [{ kind: 'see', host, seen }] : [];
}

/**
 * A person who gives a server a pool name declares it clean, and only such servers get a pending name. A server with
 * the name of a machine may have been used.
 */
function mayBeUsed(name: string, claimPrefix: string): boolean {
  return isClaimStyleName(name, claimPrefix);
}

function missingIn({ known, missed }: Observed): readonly MacHostObject[] {
  return [...known].flatMap(([id, host]) =>
    (missed.get(id) ?? 0) >= missesNeeded && host.status?.observed?.status !== goneStatus ? [host] : [],
  );
}

function noteOf({ metadata }: MacHostObject, isLookedAt: boolean): Note {
  const detail = isLookedAt
    ? 'two listings in a row did not show the server'
    : 'two listings in a row did not show the server, and others are missing too, so it is not read yet';
  return { subject: metadata.name, reason: 'HostGone', detail };
}
