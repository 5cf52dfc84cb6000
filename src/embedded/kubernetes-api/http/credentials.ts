/**
 * The credentials of an HTTPS client: a certificate of our authority, a bearer token, and the impersonated identity.
 */
import type { IncomingHttpHeaders } from 'node:http2';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { Credentials, Impersonation } from '../auth/credentials.ts';
import { badRequest, StatusError } from '../status-error.ts';

type Peer = Pick<TLSSocket, 'authorized' | 'getPeerCertificate'>;

const extraPrefix = 'impersonate-extra-';

export function credentialsOf(socket: Peer, headers: IncomingHttpHeaders): Credentials {
  return {
    certificate: certificateOf(socket),
    token: tokenIn(headers),
    impersonate: impersonationIn(headers),
  };
}

function certificateOf(socket: Peer): Credentials['certificate'] {
  const certificate = socket.getPeerCertificate();
  // Node returns an empty object without a certificate.
  if (Object.keys(certificate ?? {}).length === 0) return undefined;
  if (!socket.authorized) throw new StatusError('Unauthorized', 'Unauthorized');
  return { user: nameIn(certificate), groups: groupsIn(certificate) };
}

function nameIn({ subject }: PeerCertificate): string {
  return [subject.CN].flat().at(-1) ?? '';
}

function groupsIn({ subject }: PeerCertificate): readonly string[] {
  return [subject.O ?? []].flat();
}

function tokenIn({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, token] = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '') ?? [];
  return token;
}

function impersonationIn(headers: IncomingHttpHeaders): Impersonation | undefined {
  const [user] = valuesOf(headers, 'impersonate-user');
  const [uid] = valuesOf(headers, 'impersonate-uid');
  const groups = valuesOf(headers, 'impersonate-group');
  const extra = extraIn(headers);
  if (user === undefined) {
    if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
    throw badRequest('requested impersonation of groups or more without impersonating a user');
  }
  return { user, groups, extra, ...(uid !== undefined && { uid }) };
}

function extraIn(headers: IncomingHttpHeaders): Readonly<Record<string, readonly string[]>> {
  const names = Object.keys(headers).filter((name) => name.startsWith(extraPrefix));
  return Object.fromEntries(
    names.map((name) => [decoded(name.slice(extraPrefix.length)), valuesOf(headers, name)]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}

/** Node joins repeated headers with a comma and a space. */
function valuesOf(headers: IncomingHttpHeaders, name: string): readonly string[] {
  return [headers[name] ?? []].flat().flatMap((value) => value.split(', '));
}
