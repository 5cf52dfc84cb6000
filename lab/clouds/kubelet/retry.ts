/** Does something again until it is done, as a kubelet does; only what no longer is ends it. */
import { isFleetError } from '../../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';

export interface InsistPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Told of what went wrong; it is being dealt with. */
  readonly log: (text: string) => void;
  /** The kubelet ends: nothing is tried again. */
  readonly stopped: AbortSignal;
}

const firstMs = 500;
const maxMs = 30_000;

/** `gone` where the object is no more, or the kubelet. Anything but a failure of the world is thrown. */
export async function retryUntilDone(
  { clock, random, log, stopped }: InsistPorts,
  work: () => Promise<unknown>,
): Promise<'done' | 'gone'> {
  for (let failures = 0; !stopped.aborted; failures += 1) {
    try {
      await work();
      return 'done';
    } catch (error) {
      if (!isFleetError(error)) throw error;
      if (error.kind === 'gone') return 'gone';
      log(`${error.reason}: ${error.message}`);
      const full = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 10));
      await rest(clock, full * (0.5 + random.next() / 2), stopped);
    }
  }
  return 'gone';
}

/** Resolves after this time, or as soon as the kubelet ends. */
export async function rest(clock: Clock, ms: number, stopped: AbortSignal): Promise<void> {
  if (stopped.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const wake = (): void => resolve();
  stopped.addEventListener('abort', wake);
  await promise;
  cancel();
  stopped.removeEventListener('abort', wake);
}
