/**
 * Who may use the control endpoint of a simulated service: a program on this machine that has the token. A web page in
 * a browser on this machine reaches loopback too, so requests of pages are refused, under any host name.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Secret } from '../../../src/platform/secret.ts';

export interface ControlRefusal {
  readonly status: 401 | 403 | 415;
  readonly message: string;
}

type Asker = Pick<IncomingMessage, 'method' | 'headers'>;

/** The headers that a program with the token sends. */
export function controlHeaders(token: Secret): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' };
}

/** Undefined where the request is allowed. Without a token every request is refused. */
export function refuseControl(
  { method, headers }: Asker,
  token: Secret | undefined,
): ControlRefusal | undefined {
  if (!isLoopback(headers.host))
    return { status: 403, message: 'the Host must be localhost or a loopback address' };
  if (headers.origin !== undefined)
    return { status: 403, message: 'requests of web pages are refused: the request has an Origin' };
  if (method !== 'GET' && !/^application\/json *(;|$)/i.test(headers['content-type'] ?? ''))
    return { status: 415, message: 'the Content-Type must be application/json' };
  if (!hasToken(headers.authorization, token))
    return { status: 401, message: 'send the control token: Authorization: Bearer TOKEN' };
  return undefined;
}

function hasToken(authorization = '', token: Secret | undefined): boolean {
  const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  return token !== undefined && given !== undefined && isSame(given, token.reveal());
}

/** A name that is not loopback may resolve to loopback all the same: its owner controls its DNS. */
function isLoopback(host = ''): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** Digests have one length, so that the comparison takes the same time for each token. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
