/**
 * What one complete listing of a zone leads to: an object for each server that has none, what was seen for those that
 * have one, and a closer look at those that the listing left out twice.
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
  /** When the listing was asked for: what it shows may be as old as that, and older. */
  readonly began: number;
  readonly servers: readonly Server[];
  /** Those in the zone, by id. */
  readonly known: ReadonlyMap<string, MacHostObject>;
  /** In how many complete listings in a row each known host was missing, this one included. */
  readonly missed: ReadonlyMap<string, number>;
  readonly claimPrefix: string;
  /** Whether a machine is called like the server, or says that it has it. */
  readonly isSpokenFor: (server: Server) => boolean;
  /** In euros a day, by type of server. */
  readonly prices: ReadonlyMap<string, number>;
  readonly nextAt: number;
}

/** The provider may not know the zone: nothing was listed. */
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
  /** All that the zone had: either every one of them is gone, or none is taken for gone. */
  | { readonly kind: 'miss-all'; readonly hosts: readonly MacHostObject[] };

/** One listing may lie; two in a row and a question about the very host do not. */
const missesNeeded = 2;
/** More at once is more likely a mistake of the listing than so many servers that are gone. */
const missesMax = 5;

export function plan(observed: Observed | Refused): Plan<Action> {
  return 'refusal' in observed ? planRefused(observed) : planListed(observed);
}

function planRefused({ zone, refusal, nextAt }: Refused): Plan<Action> {
  const note = { subject: zone, reason: refusal.reason, detail: refusal.message };
  return { actions: [], notes: [note], lookAgainAt: nextAt };
}

function planListed(observed: Observed): Plan<Action> {
  const { servers, known, nextAt } = observed;
  const missing = missingIn(observed);
  // An empty listing is what wrong credentials or a wrong project look like as well.
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
    lookAgainAt: nextAt,
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
 * A person who puts a host under a pool name vouches for it, and only such hosts get a pending name. A host under the name
 * of a machine may have been used.
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
    ? 'two listings in a row did not show it'
    : 'two listings in a row did not show it, and neither did they show others: it is left alone for now';
  return { subject: metadata.name, reason: 'HostGone', detail };
}
