/**
 * Limits the number of connections. Connections without a client certificate may use only a part, so that those with
 * one always succeed. Idle connections are closed.
 */
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';

export interface ConnectionLimits {
  readonly all: number;
  /** The limit of connections without a client certificate. */
  readonly plain: number;
}

export const usualLimits: ConnectionLimits = { all: 1024, plain: 768 };
/** The time until the first request, and the time that an idle connection is kept. */
export const idleMs = 60_000;

/** Returns the open sockets. */
export function limitConnections(
  face: Http2SecureServer,
  { all, plain }: ConnectionLimits,
  clock: Clock,
): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  const plainOnes = new Set<Socket>();
  face.maxConnections = all;
  face.on('connection', (socket: Socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
  });
  face.on('secureConnection', (socket: TLSSocket) => {
    if (Object.keys(socket.getPeerCertificate() ?? {}).length > 0) return;
    if (plainOnes.size >= plain) socket.destroy();
    else plainOnes.add(socket.once('close', () => plainOnes.delete(socket)));
  });
  closeIdleSessions(face, clock);
  closeIdleSockets(face, clock);
  return sockets;
}

function closeIdleSessions(face: Http2SecureServer, clock: Clock): void {
  face.on('session', (session) => {
    let streams = 0;
    const wait = (): (() => void) => clock.after(idleMs, () => session.destroy());
    let stop = wait();
    session.once('close', () => stop());
    session.on('stream', (stream) => {
      stop();
      streams += 1;
      stream.once('close', () => {
        streams -= 1;
        if (streams === 0 && !session.destroyed) stop = wait();
      });
    });
  });
}

/** For HTTP/1.1; in HTTP/2 the session is idle. */
function closeIdleSockets(face: Http2SecureServer, clock: Clock): void {
  const waiting = new Map<Socket, () => void>();
  const stop = (socket: Socket): void => {
    waiting.get(socket)?.();
    waiting.delete(socket);
  };
  const wait = (socket: Socket): void => {
    stop(socket);
    if (!socket.destroyed)
      waiting.set(
        socket,
        clock.after(idleMs, () => socket.destroy()),
      );
  };
  face.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') wait(socket.once('close', () => stop(socket)));
  });
  face.on('request', ({ httpVersionMajor, socket }, response) => {
    if (httpVersionMajor >= 2) return;
    stop(socket);
    response.once('close', () => wait(socket));
  });
}
