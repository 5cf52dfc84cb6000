/** A limit on calls: so many of one kind within a time, by all processes together. */
import type { Effect } from '../engine/call.ts';

export interface Budget {
  /** The service and the start of the operation: `kube update configmaps`, or `kube` for every call to it. */
  readonly calls: string;
  readonly most: number;
  readonly perMs: number;
}

interface Window {
  readonly budget: Budget;
  began: number;
  count: number;
}

export class Budgets {
  readonly #windows: readonly Window[];
  readonly #exceeded: (message: string) => void;

  constructor(budgets: readonly Budget[], exceeded: (message: string) => void) {
    this.#windows = budgets.map((budget) => ({ budget, began: Number.NEGATIVE_INFINITY, count: 0 }));
    this.#exceeded = exceeded;
  }

  sent({ service, operation }: Effect, now: number): void {
    for (const window of this.#windows) {
      const { calls, most, perMs } = window.budget;
      if (!`${service} ${operation}`.startsWith(calls)) continue;
      if (now - window.began >= perMs) {
        window.began = now;
        window.count = 0;
      }
      window.count += 1;
      if (window.count === most + 1) this.#exceeded(`more than ${most} calls of ${calls} within ${perMs} ms`);
    }
  }
}
