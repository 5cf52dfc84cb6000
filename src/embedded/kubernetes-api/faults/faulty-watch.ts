/** A watch with injected faults. Delivered events are in order. */
import type { Clock } from '../../../platform/clock.ts';
import type { Watch, WatchEvent, WatchSink } from '../request.ts';
import { StatusError } from '../status-error.ts';
import type { FaultOf, WatchFault } from './fault.ts';

export interface FaultyWatchOptions {
  readonly faults: readonly WatchFault[];
  readonly clock: Clock;
  readonly did: (fault: WatchFault) => void;
}

/** Those that happen at a moment in the life of the watch. */
type TimedFault = FaultOf<'watch-drop' | 'watch-expire' | 'watch-stall'>;

interface Waiting {
  /** Undefined for the end of the watch. */
  readonly event: WatchEvent | undefined;
  readonly notBefore: number;
}

export function faultyWatch(watch: Watch, options: FaultyWatchOptions): Watch {
  return options.faults.length === 0 ? watch : (sink) => new FaultyWatch(sink, options).run(watch);
}

class FaultyWatch {
  readonly #sink: WatchSink;
  readonly #clock: Clock;
  readonly #did: (fault: WatchFault) => void;
  readonly #duplicates: readonly FaultOf<'watch-duplicate'>[];
  readonly #delays: readonly FaultOf<'watch-lag'>[];
  readonly #timed: readonly TimedFault[];
  readonly #cancels: (() => void)[] = [];
  #cancelDelivery: (() => void) | undefined;
  #queue: Waiting[] = [];
  #delivered = 0;
  #stalledUntil = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(sink: WatchSink, { faults, clock, did }: FaultyWatchOptions) {
    this.#sink = sink;
    this.#clock = clock;
    this.#did = did;
    this.#duplicates = faults.filter((fault) => fault.kind === 'watch-duplicate');
    this.#delays = faults.filter((fault) => fault.kind === 'watch-lag');
    this.#timed = faults.filter(isTimed);
  }

  run(watch: Watch): () => void {
    for (const fault of this.#delays) this.#did(fault);
    for (const fault of this.#timed) {
      if (fault.afterMs !== undefined)
        this.#cancels.push(this.#clock.after(fault.afterMs, () => this.#happen(fault)));
    }
    this.#afterDelivery();
    if (!this.#isOver) {
      this.#cancels.push(watch({ event: (event) => this.#take(event), end: () => this.#take(undefined) }));
    }
    // The watch may have ended before `#stop` was set.
    if (this.#isOver) this.#stop();
    return () => this.#stop();
  }

  #take(event: WatchEvent | undefined): void {
    if (this.#isOver) return;
    const delayMs = this.#delays.reduce((sum, { ms }) => sum + ms, 0);
    this.#queue.push({ event, notBefore: this.#clock.now() + delayMs });
    this.#deliverDue();
  }

  #deliverDue(): void {
    for (;;) {
      const [next] = this.#queue;
      if (next === undefined || this.#isOver) return;
      const waitMs = Math.max(next.notBefore, this.#stalledUntil) - this.#clock.now();
      if (waitMs > 0) {
        this.#deliverLater(waitMs);
        return;
      }
      this.#queue.shift();
      this.#deliver(next.event);
    }
  }

  /** One timer is enough: waiting events never become due earlier. */
  #deliverLater(waitMs: number): void {
    this.#cancelDelivery ??= this.#clock.after(waitMs, () => {
      this.#cancelDelivery = undefined;
      this.#deliverDue();
    });
  }

  #deliver(event: WatchEvent | undefined): void {
    if (event === undefined) {
      this.#finish();
      return;
    }
    this.#delivered += 1;
    this.#sink.event(event);
    for (const fault of this.#duplicates.filter((one) => one.event === this.#delivered)) {
      this.#did(fault);
      this.#sink.event(event);
    }
    this.#afterDelivery();
  }

  #afterDelivery(): void {
    for (const fault of this.#timed) if (fault.afterEvents === this.#delivered) this.#happen(fault);
  }

  #happen(fault: TimedFault): void {
    if (this.#isOver) return;
    this.#did(fault);
    switch (fault.kind) {
      case 'watch-stall':
        this.#stalledUntil = Math.max(this.#stalledUntil, this.#clock.now() + fault.forMs);
        return;
      case 'watch-drop':
        this.#finish('broken');
        return;
      case 'watch-expire':
        this.#sink.event({ type: 'ERROR', object: new StatusError('Expired', expired).toObject() });
        this.#finish();
    }
  }

  #finish(how?: 'broken'): void {
    this.#stop();
    this.#sink.end(how);
  }

  #stop(): void {
    this.#isOver = true;
    this.#queue = [];
    this.#cancelDelivery?.();
    for (const cancel of this.#cancels.splice(0)) cancel();
  }
}

const expired = 'The resourceVersion for the provided watch is too old.';

function isTimed(fault: WatchFault): fault is TimedFault {
  return fault.kind === 'watch-drop' || fault.kind === 'watch-expire' || fault.kind === 'watch-stall';
}
