/** Repeats an action until it succeeds or its object is gone, with the waits of a kubelet. */
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import { jitteredBackoffMs } from '../../../src/platform/backoff.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import { sleep } from '../../../src/platform/sleep.ts';

export interface InsistPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of what went wrong; it is being dealt with. */
  readonly log: (text: string) => void;
  /** The kubelet ends: nothing is tried again. */
  readonly stopped: AbortSignal;
}

const backoff = { firstMs: 500, maxMs: 30_000 };

/** `gone` where the object is no more, or the kubelet. Anything but a failure of the world is thrown. */
export async function retryUntilDone(
  { clock, random, log, stopped }: InsistPorts,
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
