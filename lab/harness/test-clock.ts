/** Time that a test moves by hand. All effects of a step finish before the next step begins. */
import { VirtualClock } from '../contracts/kubernetes-api/virtual-clock.ts';

export class TestClock extends VirtualClock {
  /** Runs the next timer, if any. */
  async next(): Promise<void> {
    if (this.runNext()) await this.settle();
  }

  /** Runs all timers that are due within this time. */
  async pass(ms: number): Promise<void> {
    const until = this.now() + ms;
    for (let at = this.nextAt(); at !== undefined && at <= until; at = this.nextAt()) await this.next();
    this.jump(Math.max(0, until - this.now()));
    await this.settle();
  }

  /** Waits until every promise that can continue has done so. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
