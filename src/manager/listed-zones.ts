/**
 * The complete listings of each zone so far. Until the first listing is recorded, a missing MacHost proves nothing
 * about its host.
 */
import type { CompleteListing } from '../hosts/inventory/ports.ts';
import type { MacHostObject } from '../hosts/state/objects.ts';

interface Listing {
  readonly count: number;
  /** When the last counted listing was requested. */
  readonly countedAt: number;
  readonly at: number;
  /** Ids of the first listing, or of the first after a loss, while some of them have no MacHost. */
  readonly awaited: readonly string[];
  /** When a MacHost of the zone was lost. Until a later listing, a server may have no MacHost. */
  readonly lostAt?: number;
}

/** Refusals of a zone that this process has never listed. */
interface StepBackoff {
  readonly count: number;
  /** The provider's first refusal, kept so that a condition does not change with each one. */
  readonly why: string;
}

export interface Refused {
  readonly askAgainAt: number;
  /** The zone counts as unknown from now on. */
  readonly hasChanged: boolean;
}

export interface ZoneCaches {
  readonly findHost: (id: string) => MacHostObject | undefined;
  /** Whether a machine or a host names the zone. */
  readonly isNamed: (zone: string) => boolean;
  /** Whether a host was seen in the zone. */
  readonly hasHost: (zone: string) => boolean;
}

const minute = 60_000;
/** A gateway may answer 404 for a moment, so one refusal proves nothing. */
const refusalsNeeded = 2;
/** The waits grow, so that a short outage delays the zone only for a short time. */
const refusalWaitsMs = [5000, minute, 4 * minute, 16 * minute];
const refusalWaitMaxMs = 60 * minute;

export class ListedZones {
  readonly #always: ReadonlySet<string>;
  readonly #kept: Set<string>;
  readonly #caches: ZoneCaches;
  readonly #intervalMs: number;
  readonly #listings = new Map<string, Listing>();
  readonly #refusals = new Map<string, StepBackoff>();

  constructor(zones: readonly string[], caches: ZoneCaches, intervalMs: number) {
    this.#always = new Set(zones);
    this.#kept = new Set(zones);
    this.#caches = caches;
    this.#intervalMs = intervalMs;
  }

  /** Returns whether the zone is new. */
  keep(zone: string): boolean {
    const isNew = !this.#kept.has(zone);
    this.#kept.add(zone);
    return isNew;
  }

  /** Drops a zone that no object names any more, so that a typing error in a machine is not listed for ever. */
  isKept(zone: string): boolean {
    if (this.#always.has(zone) || this.#caches.isNamed(zone)) return true;
    this.#kept.delete(zone);
    this.#listings.delete(zone);
    this.#refusals.delete(zone);
    return false;
  }

  get kept(): readonly string[] {
    return [...this.#kept];
  }

  /**
   * Returns whether the listing counts. Rules that need two listings need time between them: a listing right after
   * another shows the same mistake. A listing from before the last one counts if the clock was set back; otherwise
   * none would count for that time.
   */
  note(zone: string, { began, at, ids }: CompleteListing): boolean {
    this.#refusals.delete(zone);
    const last = this.#listings.get(zone);
    const isDue = last === undefined || Math.abs(began - last.countedAt) >= this.#intervalMs / 2;
    const counted = isDue ? { count: (last?.count ?? 0) + 1, countedAt: began } : last;
    const { count, countedAt } = counted;
    this.#listings.set(zone, { count, countedAt, at, ...awaitedAfter(last, { began, ids, isDue }) });
    return isDue;
  }

  /** A MacHost was deleted although its server exists: until the next listing the name of that server is unknown. */
  lose(zone: string, now: number): void {
    const listing = this.#listings.get(zone);
    if (listing !== undefined) this.#listings.set(zone, { ...listing, lostAt: now });
  }

  /**
   * The provider answered as if the zone did not exist. Undefined if the zone was listed or has hosts: then the
   * refusal is an ordinary failure.
   */
  refuse(zone: string, { why, now }: { readonly why: string; readonly now: number }): Refused | undefined {
    if (this.#exists(zone)) return undefined;
    const before = this.#refusals.get(zone);
    const count = (before?.count ?? 0) + 1;
    this.#refusals.set(zone, { count, why: before?.why ?? why });
    const waitMs = refusalWaitsMs[count - 1] ?? refusalWaitMaxMs;
    return { askAgainAt: now + waitMs, hasChanged: count === refusalsNeeded };
  }

  /** Undefined while the zone is known, or may be. */
  whyUnknown(zone: string): string | undefined {
    const refusals = this.#refusals.get(zone);
    if (refusals === undefined || refusals.count < refusalsNeeded || this.#exists(zone)) return undefined;
    return `the provider does not know the zone ${zone}: ${refusals.why}`;
  }

  #exists(zone: string): boolean {
    return this.#listings.has(zone) || this.#caches.hasHost(zone);
  }

  /** The number of counted listings. */
  countOf(zone: string): number {
    return this.#listings.get(zone)?.count ?? 0;
  }

  listedAt(zone: string): number | undefined {
    return this.#listings.get(zone)?.at;
  }

  /** A zone that is not kept is never listed, so no caller must wait for it. */
  isKnown(zone: string): boolean {
    if (!this.#kept.has(zone)) return true;
    const listing = this.#listings.get(zone);
    if (listing === undefined || listing.lostAt !== undefined) return false;
    const awaited = listing.awaited.filter((id) => this.#caches.findHost(id)?.status?.observed === undefined);
    this.#listings.set(zone, { ...listing, awaited });
    return awaited.length === 0;
  }
}

interface NewListing extends Pick<CompleteListing, 'began' | 'ids'> {
  readonly isDue: boolean;
}

/** A server still without a MacHost at the second listing cannot get one, and must not keep all machines waiting. */
function awaitedAfter(
  last: Listing | undefined,
  { began, ids, isDue }: NewListing,
): Pick<Listing, 'awaited' | 'lostAt'> {
  if (last === undefined) return { awaited: ids };
  if (last.lostAt === undefined) return { awaited: isDue ? [] : last.awaited };
  // The listing was already under way. If the clock was set back, the next listing counts, too.
  if (began < last.lostAt) return { awaited: last.awaited, lostAt: Number.NEGATIVE_INFINITY };
  return { awaited: ids };
}
