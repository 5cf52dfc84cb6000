/** What a listing shows of each Mac: for a while after a change, it may be what was before. */
import type { Mac } from './mac.ts';
import { serverBody, type WireServer } from './wire-bodies.ts';

interface Past {
  /** Undefined: it was not there yet. */
  readonly body: WireServer | undefined;
  readonly untilAt: number;
}

export class LaggingList {
  readonly #past = new Map<string, Past>();

  /** The change was made at this time; before it, the Mac looked like this. */
  changed(mac: Mac, before: WireServer | undefined, at: number): void {
    const lagMs = mac.drawListLag();
    if (lagMs === 0 || this.#past.has(mac.id)) return;
    this.#past.set(mac.id, { body: before, untilAt: at + lagMs });
  }

  /** Undefined: it is not on the list. */
  shown(mac: Mac, now: number): WireServer | undefined {
    const past = this.#past.get(mac.id);
    if (past !== undefined && now < past.untilAt) return past.body;
    this.#past.delete(mac.id);
    return mac.isGone ? undefined : serverBody(mac, now);
  }
}
