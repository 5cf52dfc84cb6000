/** A listener on the server of a harness. */
import { WakeListener } from '../../../src/dispatch/store/postgres/wake-listener.ts';
import { Secret } from '../../../src/platform/secret.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import type { FaultHarness } from './fault-harness.ts';

/** A listener that stops with the harness, its wake-ups, and its errors. */
export function listen(harness: FaultHarness, { url, clock } = { url: harness.url, clock: wallClock }) {
  const woken: (string | undefined)[] = [];
  const troubles: unknown[] = [];
  const listener = new WakeListener({
    url: new Secret(url),
    clock,
    onWake: (pool) => void woken.push(pool),
    onTrouble: (error) => void troubles.push(error),
  });
  harness.onClose(async () => listener.stop());
  const heard = async (count: number) =>
    harness.until(async () => (woken.length >= count ? woken : undefined));
  return { listener, woken, troubles, heard };
}
