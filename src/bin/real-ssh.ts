/** Opens SSH connections to hosts over real sockets. */
import { connect } from 'node:net';
import type { Dialler } from '../hosts/bootstrap/ssh/port.ts';
import { ssh2Dialler } from '../hosts/bootstrap/ssh/ssh2-dialler.ts';
import type { Clock } from '../platform/clock.ts';

export function realSshDialler(clock: Clock): Dialler {
  return ssh2Dialler({ clock, openSocket: (host, port) => connect({ host, port, noDelay: true }) });
}
