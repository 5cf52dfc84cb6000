/** The JWT that authenticates the App. GitHub accepts at most ten minutes of life, so each request gets a new one. */
import { sign, type KeyObject } from 'node:crypto';

/** Clocks differ, and GitHub refuses a token from the future. */
const backdateSeconds = 60;
const lifeSeconds = 540;

export interface AppJwt {
  readonly jwt: string;
  readonly expiresAt: string;
}

export function appJwt(appId: string, key: KeyObject, nowMs: number): AppJwt {
  const now = Math.floor(nowMs / 1000);
  const claims = { iat: now - backdateSeconds, exp: now + lifeSeconds, iss: appId };
  const head = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  const jwt = `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`;
  return { jwt, expiresAt: new Date(claims.exp * 1000).toISOString() };
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
