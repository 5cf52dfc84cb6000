/** The smallest service, for the tests of calls: it adds numbers and counts its requests. */
import type { Arrival, Asked, Service } from '../engine/call.ts';

export class Tally implements Service<number, string> {
  readonly name = 'tally';
  readonly latencyMs = { least: 10, most: 10 };
  sum = 0;
  asked = 0;

  ask(): Asked {
    return { operation: 'add', about: '', isWrite: true, kinds: ['error'], link: 'tally' };
  }

  apply(more: number, { faults }: Arrival): string {
    this.asked += 1;
    const [error] = faults;
    if (error?.kind === 'error') return error.reason;
    this.sum += more;
    return `sum ${this.sum}`;
  }

  outcome(answer: string): string {
    return answer;
  }
}
