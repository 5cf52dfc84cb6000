/**
 * The keys of a server: the authority of its certificates and the secret of its tokens. Stored with the state, so that
 * kubeconfigs and tokens stay valid after a restart.
 */
import { generateKeySync } from 'node:crypto';
import { z } from 'zod';
import { createAuthority, openAuthority, type Authority, type Ports } from './certificates.ts';

export interface ServerKeys {
  readonly authority: Authority;
  readonly tokenSecret: Uint8Array;
}

const secretBits = 256;
const keptSchema = z.object({
  authority: z.object({ certificate: z.string(), key: z.string() }),
  tokenSecret: z.base64(),
});

export async function createServerKeys(ports: Ports): Promise<ServerKeys> {
  const tokenSecret = generateKeySync('hmac', { length: secretBits }).export();
  return { authority: await createAuthority(ports), tokenSecret };
}

/** The text to store, readable only by its owner. */
export function keptKeys({ authority, tokenSecret }: ServerKeys): string {
  const { certificate, key } = authority;
  return JSON.stringify({
    authority: { certificate, key },
    tokenSecret: Buffer.from(tokenSecret).toString('base64'),
  });
}

/** Throws when the text is not what `keptKeys` wrote. */
export function openServerKeys(text: string, ports: Ports): ServerKeys {
  const { authority, tokenSecret } = keptSchema.parse(JSON.parse(text));
  return {
    authority: openAuthority(authority, ports),
    tokenSecret: Buffer.from(tokenSecret, 'base64'),
  };
}
