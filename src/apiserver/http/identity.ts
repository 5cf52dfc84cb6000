/**
 * Who is asking. Only client certificates of our own authority count; without one a caller is anonymous and may only
 * ask how the server is. Whoever is in `system:masters` may do everything, and so far nobody else may do anything.
 */
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { StatusError } from '../status-error.ts';

export interface Identity {
  readonly user: string;
  readonly groups: readonly string[];
}

const anonymous: Identity = { user: 'system:anonymous', groups: ['system:unauthenticated'] };
const openPaths = new Set(['/healthz', '/livez', '/readyz', '/version']);
const masters = 'system:masters';

export function identify(socket: Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>): Identity {
  const certificate = socket.getPeerCertificate();
  // Node gives an empty object where there is no certificate.
  if (Object.keys(certificate ?? {}).length === 0) return anonymous;
  if (!socket.authorized) throw new StatusError('Unauthorized', 'Unauthorized');
  return { user: nameIn(certificate), groups: ['system:authenticated', ...groupsIn(certificate)] };
}

export function refuseUnlessAllowed(identity: Identity, path: string): void {
  if (openPaths.has(path) || identity.groups.includes(masters)) return;
  throw new StatusError('Forbidden', `User "${identity.user}" may not use path "${path}"`);
}

function nameIn({ subject }: PeerCertificate): string {
  return [subject.CN].flat().at(-1) ?? '';
}

function groupsIn({ subject }: PeerCertificate): readonly string[] {
  return [subject.O ?? []].flat();
}
