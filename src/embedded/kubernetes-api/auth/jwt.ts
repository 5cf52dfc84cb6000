/**
 * JSON Web Tokens under one secret (HS256). Only the signing server reads them, so no public key is needed, and the
 * output is deterministic. Synchronous, as all request handling is.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const header = { alg: 'HS256', typ: 'JWT' };
const bytesMax = 16 * 1024;

export function signToken(claims: JsonObject, secret: Uint8Array): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${signature(signed, secret).toString('base64url')}`;
}

/** The claims of a token that this secret signed; undefined for anything else. */
export function verifiedClaims(token: string, secret: Uint8Array): JsonObject | undefined {
  if (token.length > bytesMax) return undefined;
  const [head = '', body = '', sign = '', ...more] = token.split('.');
  if (more.length > 0 || head !== encoded(header)) return undefined;
  const given = Buffer.from(sign, 'base64url');
  const right = signature(`${head}.${body}`, secret);
  if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined;
  const claims: Json = JSON.parse(Buffer.from(body, 'base64url').toString());
  return isJsonObject(claims) ? claims : undefined;
}

function signature(text: string, secret: Uint8Array): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

function encoded(value: JsonObject): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
