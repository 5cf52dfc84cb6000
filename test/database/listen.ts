/** A listener on the server of a stand. */
import { WakeListener } from '../../src/dispatch/store/postgres/wake-listener.ts';
import { Secret } from '../../src/runtime/secret.ts';
import { wallClock } from '../wall-clock.ts';
import type { FaultStand } from './fault-stand.ts';

/** A listener that stops with the stand, what it was woken with, and what it complained of. */
export function listen(stand: FaultStand, { url, clock } = { url: stand.url, clock: wallClock }) {
  const woken: (string | undefined)[] = [];
  const troubles: unknown[] = [];
  const listener = new WakeListener({
    url: new Secret(url),
    clock,
    onWake: (pool) => void woken.push(pool),
    onTrouble: (error) => void troubles.push(error),
  });
  stand.onClose(async () => listener.stop());
  const heard = async (count: number) => stand.until(async () => (woken.length >= count ? woken : undefined));
  return { listener, woken, troubles, heard };
}
