/** Checks whether a token was signed by the App, and is valid now. */
import { verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';

export interface KnownApp {
  readonly id: string;
  readonly publicKey: KeyObject;
}

const lifeMaxSeconds = 600;
/** The allowed clock skew of an App. */
const skewSeconds = 5;

const claimsSchema = z.object({
  iss: z.union([z.string(), z.number()]).transform(String),
  iat: z.number(),
  exp: z.number(),
});

/** Returns the error; undefined for a valid token. */
export function faultOf(jwt: string, app: KnownApp, nowMs: number): string | undefined {
  const claims = signedClaims(jwt, app.publicKey);
  if (claims === undefined) return 'A JSON web token could not be decoded';
  if (claims.iss !== app.id) return 'Integration not found';
  return faultOfTimes(claims, nowMs / 1000);
}

function signedClaims(jwt: string, publicKey: KeyObject): z.infer<typeof claimsSchema> | undefined {
  const [head = '', payload = '', signature = ''] = jwt.split('.');
  const signed = Buffer.from(`${head}.${payload}`);
  if (!verify('sha256', signed, publicKey, Buffer.from(signature, 'base64url'))) return undefined;
  return jsonIn(head)['alg'] === 'RS256' ? claimsSchema.safeParse(jsonIn(payload)).data : undefined;
}

function faultOfTimes({ iat, exp }: z.infer<typeof claimsSchema>, now: number): string | undefined {
  if (iat > now + skewSeconds)
    return "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";
  if (exp <= now)
    return "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
  return exp > now + lifeMaxSeconds + skewSeconds
    ? "'Expiration time' claim ('exp') is too far in the future"
    : undefined;
}

function jsonIn(part: string): Readonly<Record<string, unknown>> {
  const text = Buffer.from(part, 'base64url').toString();
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
