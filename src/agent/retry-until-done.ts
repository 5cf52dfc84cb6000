/** Repeats an action until it succeeds or its object is gone. */
import { isFleetError } from '../platform/errors/fleet-error.ts';
import { jitteredBackoffMs } from '../platform/backoff.ts';
import type { Clock } from '../platform/clock.ts';
import type { Random } from '../platform/random.ts';
import { sleep } from '../platform/sleep.ts';

export interface RetryPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Receives each failure that is retried. */
  readonly log: (text: string) => void;
  /** The agent ends: nothing is tried again. */
  readonly stopped: AbortSignal;
}

const backoff = { firstMs: 500, maxMs: 30_000 };

/** Resolves with `gone` where the object is gone or the agent ends. Anything but a `FleetError` is thrown. */
export async function retryUntilDone(
  { clock, random, log, stopped }: RetryPorts,
  work: () => Promise<unknown>,
): Promise<'done' | 'gone'> {
  for (let failures = 1; !stopped.aborted; failures += 1) {
    try {
      await work();
      return 'done';
    } catch (error) {
      if (!isFleetError(error)) throw error;
      if (error.kind === 'gone') return 'gone';
      log(`${error.reason}: ${error.message}`);
      await sleep(clock, jitteredBackoffMs(backoff, failures, random), stopped);
    }
  }
  return 'gone';
}
