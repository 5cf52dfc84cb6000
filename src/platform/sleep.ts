/** Waits on the clock port. */
import type { Clock } from './clock.ts';

/** Resolves after `ms`, or as soon as the signal aborts; no timer stays behind. */
export async function sleep(clock: Pick<Clock, 'after'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const wake = (): void => resolve();
  signal?.addEventListener('abort', wake);
  await promise;
  cancel();
  signal?.removeEventListener('abort', wake);
}
