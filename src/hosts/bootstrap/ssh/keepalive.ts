/** Notices a host that vanished without a word, long before the deadline of a slow command. */
import type { Link } from './link.ts';

const silentMax = 3;

/**
 * Every server must answer this request: to cancel a forwarding that does not exist. Any other data of the host counts as
 * well. The library's own keepalive would run on timers that no clock controls.
 */
export function keepAlive(link: Link, intervalMs: number): void {
  const { client, socket } = link;
  let [seenBytes, silent] = [-1, 0];
  let cancel = (): void => undefined;
  const beat = (): void => {
    silent = socket.bytesRead === seenBytes ? silent + 1 : 0;
    seenBytes = socket.bytesRead;
    if (silent >= silentMax) {
      const why = `the host was silent for ${(silent * intervalMs) / 1000} s`;
      return link.fail({ kind: 'connection-lost', why, isCanceled: false });
    }
    if (socket.writable) client.unforwardIn('muster-keepalive', 0, () => undefined);
    cancel = link.clock.after(intervalMs, beat);
  };
  link.ended.addEventListener('abort', () => cancel());
  beat();
}
