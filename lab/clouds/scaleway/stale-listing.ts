/** What a listing shows of each Mac: for a while after a change, possibly the old state. */
import type { Mac } from './mac.ts';
import { serverBody, type WireServer } from './wire-bodies.ts';

interface Past {
  /** Undefined: the server did not exist yet. */
  readonly body: WireServer | undefined;
  readonly untilAt: number;
}

export class LaggingList {
  readonly #past = new Map<string, Past>();

  /** Records a change at this time, and the state before it. */
  changed(mac: Mac, before: WireServer | undefined, at: number): void {
    const lagMs = mac.drawListLag();
    if (lagMs === 0 || this.#past.has(mac.id)) return;
    this.#past.set(mac.id, { body: before, untilAt: at + lagMs });
  }

  /** Undefined: the server is not in the listing. */
  shown(mac: Mac, now: number): WireServer | undefined {
    const past = this.#past.get(mac.id);
    if (past !== undefined && now < past.untilAt) return past.body;
    this.#past.delete(mac.id);
    return mac.isGone ? undefined : serverBody(mac, now);
  }
}
