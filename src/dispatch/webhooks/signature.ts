/** Whether GitHub sent exactly these bytes: the signature is over them, and not over what a parser makes of them. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../platform/secret.ts';

const form = /^sha256=[0-9a-f]{64}$/;

export function couldBeSignature(header: string | undefined): header is string {
  return header !== undefined && form.test(header);
}

/** Any of the secrets will do: while one is being replaced, deliveries come under both. */
export function isSigned(body: Uint8Array, header: string | undefined, secrets: readonly Secret[]): boolean {
  if (!couldBeSignature(header)) return false;
  const given = Buffer.from(header.slice('sha256='.length), 'hex');
  // Every secret is tried, so that the time taken does not say which one it was.
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret.reveal()).update(body).digest(), given))
    .includes(true);
}
