/** How late the event loop is. A block of a second counts as all the rounds that it delayed, not as one. */
export interface Lag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const everyMs = 5;

export class LoopLag {
  #delays: number[] = [];
  #expectedAt = performance.now() + everyMs;

  constructor() {
    setTimeout(() => this.#tick(), everyMs).unref();
  }

  /** Since the last call. */
  take(): Lag {
    const sorted = this.#delays.toSorted((a, b) => a - b);
    this.#delays = [];
    return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), max: sorted.at(-1) ?? 0 };
  }

  #tick(): void {
    const now = performance.now();
    for (let late = Math.max(0, now - this.#expectedAt); late >= 0; late -= everyMs) this.#delays.push(late);
    this.#expectedAt = now + everyMs;
    setTimeout(() => this.#tick(), everyMs).unref();
  }
}

export function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}
