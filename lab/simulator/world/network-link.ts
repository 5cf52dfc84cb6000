/**
 * The link between a process and a service. While the link is clogged no message passes; when it heals, held messages
 * arrive at once, or are lost.
 */
import type { Schedule } from '../engine/schedule.ts';

export interface Passing {
  arrive(): void;
  /** The message is lost; the waiting side sees a broken connection. */
  lose(): void;
}

export class Link {
  readonly name: string;
  readonly #schedule: Schedule;
  #held: Passing[] = [];
  #isClogged = false;
  #keeps = true;

  constructor(name: string, schedule: Schedule) {
    this.name = name;
    this.#schedule = schedule;
  }

  get isClogged(): boolean {
    return this.#isClogged;
  }

  pass(passing: Passing): void {
    if (this.#isClogged) this.#held.push(passing);
    else passing.arrive();
  }

  /** Returns false when the link was clogged already. */
  clog(keeps: boolean): boolean {
    if (this.#isClogged) return false;
    this.#isClogged = true;
    this.#keeps = keeps;
    return true;
  }

  heal(): boolean {
    if (!this.#isClogged) return false;
    this.#isClogged = false;
    const keeps = this.#keeps;
    for (const passing of this.#held.splice(0))
      this.#schedule.after(0, `${this.name} heals`, () => (keeps ? passing.arrive() : passing.lose()));
    return true;
  }
}

/** Links by their two ends; a link is created open at its first use. */
export class Links {
  readonly #schedule: Schedule;
  readonly #links = new Map<string, Link>();

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  between(process: string, service: string): Link {
    const name = `${process}-${service}`;
    const known = this.#links.get(name);
    if (known !== undefined) return known;
    const link = new Link(name, this.#schedule);
    this.#links.set(name, link);
    return link;
  }

  healAll(): void {
    for (const link of this.#links.values()) link.heal();
  }
}
