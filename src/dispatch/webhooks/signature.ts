/** Checks the signature of a webhook, which covers the raw bytes and not the parsed body. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Secret } from '../../platform/secret.ts';

const form = /^sha256=[0-9a-f]{64}$/;

export function couldBeSignature(header: string | undefined): header is string {
  return header !== undefined && form.test(header);
}

/** Accepts any of the secrets: during a rotation, deliveries come under both. */
export function isSigned(body: Uint8Array, header: string | undefined, secrets: readonly Secret[]): boolean {
  if (!couldBeSignature(header)) return false;
  const given = Buffer.from(header.slice('sha256='.length), 'hex');
  // Try every secret, so that timing does not reveal which one matched.
  return secrets
    .map((secret) => timingSafeEqual(createHmac('sha256', secret.reveal()).update(body).digest(), given))
    .includes(true);
}
