/** The last changes, oldest first. Watches and pages cannot use a revision before the oldest change. */
import type { KubeObject } from '../kube-object.ts';

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly resource: string;
  readonly key: string;
  /** For DELETED: the last state, under the revision of the deletion. */
  readonly object: KubeObject;
  /** The object before the change; undefined for ADDED. */
  readonly previous: KubeObject | undefined;
}

export class EventLog {
  readonly #max: number;
  #events: StoreEvent[] = [];
  /** The revision of the newest dropped change, or of the start of the log. */
  #forgotten: number;

  constructor(max: number, beganAt: number) {
    this.#max = max;
    this.#forgotten = beganAt;
  }

  /** The oldest revision after which all changes are known. */
  get oldest(): number {
    return this.#forgotten;
  }

  append(event: StoreEvent): void {
    this.#events.push(event);
    // Cutting only at twice the size needs one move per `max` appends.
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
