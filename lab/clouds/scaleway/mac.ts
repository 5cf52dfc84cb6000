/**
 * One Mac in the simulated cloud. There are no timers: each work has an end time, and a reader first completes the work
 * that is due. All draws come from the Mac's own stream, so that no other Mac changes them.
 */
import { uuid } from '../../../src/platform/ids.ts';
import type { Random } from '../../../src/platform/random.ts';
import { wholeBetween } from '../../simulator/engine/random-streams.ts';
import type { Image } from './catalogue.ts';
import type { Timing } from './timing.ts';

export interface MacFacts {
  readonly id: string;
  readonly zone: string;
  readonly type: string;
  readonly name: string;
  readonly createdAt: number;
  readonly image: Image;
}

interface Work {
  readonly kind: 'starting' | 'reinstalling' | 'rebooting';
  /** From when on the status shows the work. */
  readonly shownAt: number;
  readonly endsAt: number;
  readonly image?: Image;
}

/** A decision about the next reinstall, in place of a draw. */
export interface ReinstallFate {
  readonly neverEnds?: boolean | undefined;
  readonly image?: Image | undefined;
  readonly newAddress?: boolean | undefined;
}

export class Mac {
  readonly id: string;
  readonly zone: string;
  readonly type: string;
  readonly createdAt: number;
  readonly deletableAt: number;
  name: string;
  deletionScheduled = false;
  delivered = true;
  isGone = false;
  /** Set by an act: `error` or `locked`. */
  forcedStatus: string | undefined;
  fate: ReinstallFate = {};
  image: Image;
  ip: string;
  password: string;
  isSealed: boolean;
  /** The host key of its SSH server. */
  hostKey: string;
  /** The number of wipes of its disk. */
  wipes = 0;
  /** The files of its users since the last wipe. */
  residue: readonly string[] = [];
  readonly #random: Random;
  readonly #timing: Timing;
  #work: Work | undefined;

  constructor(facts: MacFacts, timing: Timing, random: Random) {
    this.id = facts.id;
    this.zone = facts.zone;
    this.type = facts.type;
    this.name = facts.name;
    this.createdAt = facts.createdAt;
    this.deletableAt = facts.createdAt + timing.floorMs;
    this.image = facts.image;
    this.#timing = timing;
    this.#random = random;
    this.ip = this.#drawAddress();
    this.password = this.#drawText();
    this.isSealed = this.#happens('sealedPassword');
    this.hostKey = this.#drawText();
  }

  /** When its work or its rent ends. */
  get nextChangeAt(): number {
    const rentEndsAt = this.deletionScheduled ? this.deletableAt : Number.POSITIVE_INFINITY;
    return Math.min(this.#work?.endsAt ?? Number.POSITIVE_INFINITY, rentEndsAt);
  }

  /** The true work, whatever the status shows. */
  get doing(): Work['kind'] | undefined {
    return this.#work?.kind;
  }

  status(now: number): string {
    if (this.forcedStatus !== undefined) return this.forcedStatus;
    return this.#work !== undefined && now >= this.#work.shownAt ? this.#work.kind : 'ready';
  }

  /** Completes the work that is due by then. */
  bringUpTo(now: number): void {
    const work = this.#work;
    if (work !== undefined && work.endsAt <= now) {
      this.#work = undefined;
      this.delivered = true;
      if (work.kind === 'reinstalling') this.#wiped(work);
    }
    if (this.deletionScheduled && this.deletableAt <= now) this.isGone = true;
  }

  deliver(now: number): void {
    this.delivered = false;
    this.#work = { kind: 'starting', shownAt: now, endsAt: now + this.#draw('deliveryMs') };
  }

  reboot(now: number): void {
    const shownAt = now + this.#draw('shownAfterMs');
    this.#work = { kind: 'rebooting', shownAt, endsAt: shownAt + this.#draw('rebootMs') };
  }

  reinstall(now: number, image: Image, fallback: Image): void {
    const shownAt = now + this.#draw('shownAfterMs');
    const lastsMs = this.#draw('reinstallMs');
    const isStuck = this.#happens('stuckReinstall');
    const isOther = this.#happens('otherImage');
    const endsAt = (this.fate.neverEnds ?? isStuck) ? Number.POSITIVE_INFINITY : shownAt + lastsMs;
    const chosen = this.fate.image ?? (isOther ? fallback : image);
    this.#work = { kind: 'reinstalling', shownAt, endsAt, image: chosen };
  }

  /** Ends the work without its effect; a reinstall has then not happened. */
  abandonWork(): void {
    this.#work = undefined;
  }

  #wiped({ image }: Work): void {
    this.wipes += 1;
    this.residue = [];
    if (image !== undefined) this.image = image;
    this.password = this.#drawText();
    this.isSealed = this.#happens('sealedPassword');
    this.hostKey = this.#drawText();
    const moves = this.#happens('newAddress');
    const address = this.#drawAddress();
    if (this.fate.newAddress ?? moves) this.ip = address;
    this.fate = {};
  }

  #draw(span: 'deliveryMs' | 'reinstallMs' | 'rebootMs' | 'shownAfterMs' | 'listLagMs'): number {
    const [least, most] = this.#timing[span];
    return wholeBetween(this.#random, least, most);
  }

  #happens(odd: keyof Timing['odds']): boolean {
    return this.#random.next() < this.#timing.odds[odd];
  }

  /** Draws how long the listing lags; 0 for no lag. */
  drawListLag(): number {
    const lags = this.#happens('listLag');
    const lagMs = this.#draw('listLagMs');
    return lags ? lagMs : 0;
  }

  drawBareFloor(): boolean {
    return this.#happens('bareFloor');
  }

  #drawText(): string {
    return uuid(this.#random).replaceAll('-', '');
  }

  /** From the block that is reserved for benchmarks, so that the address belongs to no host. */
  #drawAddress(): string {
    return `198.${18 + wholeBetween(this.#random, 0, 1)}.${wholeBetween(this.#random, 0, 255)}.${wholeBetween(this.#random, 1, 254)}`;
  }
}
