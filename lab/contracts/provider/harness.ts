/** What the cases of the contract need of whoever runs them: a provider with some servers, and time to pass. */
import type { Provider } from '../../../src/hosts/provider/port.ts';

export interface Fixture {
  readonly zone: string;
  /** A server that is ready, whose rent, if it has one, has passed its minimum. */
  readonly id: string;
  /** How many there are in `zone`. */
  readonly count: number;
  /** How long a reinstall takes at most. */
  readonly reinstallMaxMs: number;
  /** Runs something against the provider until it has ended. */
  does<T>(call: (provider: Provider) => Promise<T>): Promise<T>;
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Somebody who does to rented servers what a provider, its people and its bad days do. */
export interface Meddler {
  rename(id: string, name: string): void;
  remove(id: string): void;
  order(name: string): void;
  setZoneDown(zone: string, isDown: boolean): void;
  /** Everybody is told to wait. */
  throttle(forMs: number, retryAfter: string | undefined): void;
  setDenied(operation: 'list servers', isDenied: boolean): void;
  retireOs(name: string): void;
  setStatus(id: string, status: string): void;
  /** Something of a tenant stays on the disk. */
  leaveFile(id: string, what: string): void;
  residueOf(id: string): readonly string[];
  hostKeyOf(id: string): string;
  /** The next reinstall of it never ends. */
  stall(id: string): void;
  /** Calls `then` once the answer to the next listing was made. */
  afterNextPage(then: () => void): void;
  /** The next request is done, but its answer is lost. */
  loseNextAnswer(): void;
  /** The next request is answered with a failure, and not done. */
  failNext(): void;
}

export interface RentedFixture extends Fixture {
  readonly otherZone: string;
  /** In `zone`, within the minimum time of its rent. */
  readonly freshId: string;
  /** All ids of `zone`, in the order of creation; more than fit on one page. */
  readonly ids: readonly string[];
  readonly floorMs: number;
  readonly meddler: Meddler;
}
