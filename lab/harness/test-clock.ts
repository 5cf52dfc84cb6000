/** Time that a test moves by hand. Whatever a step sets off is finished before the next one begins. */
import { VirtualClock } from '../contracts/kubernetes-api/virtual-clock.ts';

export class TestClock extends VirtualClock {
  /** Runs the next timer, if there is one. */
  async next(): Promise<void> {
    if (this.runNext()) await this.settle();
  }

  /** Runs everything that falls due within this time. */
  async pass(ms: number): Promise<void> {
    const until = this.now() + ms;
    for (let at = this.nextAt(); at !== undefined && at <= until; at = this.nextAt()) await this.next();
    this.jump(Math.max(0, until - this.now()));
    await this.settle();
  }

  /** Every promise that can go on has gone on. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}
