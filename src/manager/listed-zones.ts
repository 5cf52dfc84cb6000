/**
 * What the complete listings of each zone have shown so far. Before the first one is taken up, that there is no object for
 * a host says nothing about the host.
 */
import type { CompleteListing } from '../hosts/inventory/controller.ts';
import type { MacHostObject } from '../hosts/state/objects.ts';

interface Listing {
  readonly count: number;
  /** When the last one that counts was asked for. */
  readonly countedAt: number;
  readonly at: number;
  /** Of the first listing, and of the first after a loss, as long as some of them have no object. */
  readonly awaited: readonly string[];
  /** When a MacHost of the zone was lost: until a listing that began later, a server may have no object. */
  readonly lostAt?: number;
}

/** Of a zone that this process has never listed. */
interface StepBackoff {
  readonly count: number;
  /** In the words of the provider at the first refusal, so that a condition does not change with each one. */
  readonly why: string;
}

export interface Refused {
  readonly askAgainAt: number;
  /** The zone counts as unknown from now on. */
  readonly hasChanged: boolean;
}

export interface ZoneCaches {
  readonly findHost: (id: string) => MacHostObject | undefined;
  /** Whether a machine or a host is in the zone, or wants to be. */
  readonly isNamed: (zone: string) => boolean;
  /** Whether a host was seen in the zone. */
  readonly hasHost: (zone: string) => boolean;
}

const minute = 60_000;
/** A gateway in front of the provider may answer 404 for a moment: one refusal proves nothing. */
const refusalsNeeded = 2;
/** A zone that is refused for a short time by mistake is asked for again after a short time. */
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

  /** Whether that is new: a machine may want a host where nobody has looked so far. */
  keep(zone: string): boolean {
    const isNew = !this.#kept.has(zone);
    this.#kept.add(zone);
    return isNew;
  }

  /** One that nobody names any more is forgotten, so that a typing error in a machine is not listed for ever. */
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
   * Whether it counts: rules that want two listings want time between them, and one that follows at once on another shows
   * the same mistake. One from before the last, after a clock was set back, counts: else nothing would for as long.
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

  /** A MacHost was deleted although its server is there: until the next listing nothing says what that server is called. */
  lose(zone: string, now: number): void {
    const listing = this.#listings.get(zone);
    if (listing !== undefined) this.#listings.set(zone, { ...listing, lostAt: now });
  }

  /**
   * The provider refused the listing as if there were no such zone. Undefined where the zone exists, because it was listed
   * or has hosts: the refusal is then a failure of the provider.
   */
  refuse(zone: string, { why, now }: { readonly why: string; readonly now: number }): Refused | undefined {
    if (this.#exists(zone)) return undefined;
    const before = this.#refusals.get(zone);
    const count = (before?.count ?? 0) + 1;
    this.#refusals.set(zone, { count, why: before?.why ?? why });
    const waitMs = refusalWaitsMs[count - 1] ?? refusalWaitMaxMs;
    return { askAgainAt: now + waitMs, hasChanged: count === refusalsNeeded };
  }

  /** Why the provider does not serve the zone; undefined while the zone is known, or may be. */
  whyUnknown(zone: string): string | undefined {
    const refusals = this.#refusals.get(zone);
    if (refusals === undefined || refusals.count < refusalsNeeded || this.#exists(zone)) return undefined;
    return `the provider does not know the zone ${zone}: ${refusals.why}`;
  }

  #exists(zone: string): boolean {
    return this.#listings.has(zone) || this.#caches.hasHost(zone);
  }

  /** Of those that count. */
  countOf(zone: string): number {
    return this.#listings.get(zone)?.count ?? 0;
  }

  listedAt(zone: string): number | undefined {
    return this.#listings.get(zone)?.at;
  }

  /** Nobody lists a zone that is not kept, so there is nothing to wait for. */
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

/** A server that still has no object at the second listing cannot get one, and must not keep all machines waiting. */
function awaitedAfter(
  last: Listing | undefined,
  { began, ids, isDue }: NewListing,
): Pick<Listing, 'awaited' | 'lostAt'> {
  if (last === undefined) return { awaited: ids };
  if (last.lostAt === undefined) return { awaited: isDue ? [] : last.awaited };
  // The listing was under way already. After a clock was set back the next one counts, too.
  if (began < last.lostAt) return { awaited: last.awaited, lostAt: Number.NEGATIVE_INFINITY };
  return { awaited: ids };
}
