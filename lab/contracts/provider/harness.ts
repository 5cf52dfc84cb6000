/** What the cases of the contract need: a provider with some servers, and a clock. */
import type { Provider } from '../../../src/hosts/provider/port.ts';

export interface Fixture {
  readonly zone: string;
  /** A ready server, whose rent, if any, has passed its minimum time. */
  readonly id: string;
  /** The number of servers in `zone`. */
  readonly count: number;
  /** How long a reinstall takes at most. */
  readonly reinstallMaxMs: number;
  /** Runs a call against the provider until it has ended. */
  does<T>(call: (provider: Provider) => Promise<T>): Promise<T>;
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

/** Injects what a provider, its people and its outages do to rented servers. */
export interface Meddler {
  rename(id: string, name: string): void;
  remove(id: string): void;
  order(name: string): void;
  setZoneDown(zone: string, isDown: boolean): void;
  /** Every request is answered with a time to wait. */
  throttle(forMs: number, retryAfter: string | undefined): void;
  setDenied(operation: 'list servers', isDenied: boolean): void;
  retireOs(name: string): void;
  setStatus(id: string, status: string): void;
  /** Puts a file of a tenant on the disk. */
  leaveFile(id: string, what: string): void;
  residueOf(id: string): readonly string[];
  hostKeyOf(id: string): string;
  /** Makes the next reinstall of the server last for ever. */
  stall(id: string): void;
  /** Calls `then` once the answer to the next listing was made. */
  afterNextPage(then: () => void): void;
  /** The next request is done, but its answer is lost. */
  loseNextAnswer(): void;
  /** The next request fails, and has no effect. */
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
