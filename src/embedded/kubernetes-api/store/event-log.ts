/** The last changes, oldest first. What has fallen out of it can no longer be watched from or paged at. */
import type { KubeObject } from '../kube-object.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  /** For DELETED: the last state, under the revision of the deletion. */
  readonly object: KubeObject;
  /** What stood there before; undefined for ADDED. */
  readonly previous: KubeObject | undefined;
}

export class EventLog {
  readonly #max: number;
  #events: StoreEvent[] = [];
  /** The revision of the newest change that was forgotten, or the one the log began at. */
  #forgotten: number;

  constructor(max: number, beganAt: number) {
    this.#max = max;
    this.#forgotten = beganAt;
  }

  /** The oldest revision whose later changes are all known. */
  get oldest(): number {
    return this.#forgotten;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    // Cutting only at twice the size makes it one move per `max` appends.
    if (this.#events.length < this.#max * 2) return;
    const dropped = this.#events.length - this.#max;
    this.#forgotten = this.#events[dropped - 1]?.revision ?? this.#forgotten;
    this.#events = this.#events.slice(dropped);
  }

  /** Every change after a revision, oldest first. */
  after(revision: number): readonly StoreEvent[] | 'expired' {
    if (revision < this.#forgotten) return 'expired';
    return this.#events.slice(this.#firstAfter(revision));
  }

  #firstAfter(revision: number): number {
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
