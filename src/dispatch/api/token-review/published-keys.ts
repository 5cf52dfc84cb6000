/**
 * The public keys for ServiceAccount tokens, as the API server publishes them. A local signature check costs the API
 * server nothing. The signature proves who issued a token, not that the token is still valid: that takes a TokenReview.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Clock } from '../../../platform/clock.ts';

export interface PublishedKeysPorts {
  /** Reads the text at `keysPath`. The API server refuses requests that accept only plain JSON. */
  readonly read: () => Promise<unknown>;
  readonly clock: Clock;
}

/** `unread` if the keys are not known: then nothing is proved or refuted. */
export type Proof = 'signed' | 'forged' | 'unknown-key' | 'unread';

export const keysPath = '/openid/v1/jwks';

const refreshMs = 600_000;
/** A new key is published before the first token is signed with it. Made-up key names must not cause more requests. */
const unknownKeyMs = 10_000;
/** Retry delay after a failed read. */
const againMs = 60_000;
const keysMax = 20;

const algorithms: Readonly<Record<string, string>> = {
  RS256: 'sha256',
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
};

const published = z.object({
  keys: z.array(z.looseObject({ kty: z.enum(['RSA', 'EC']), alg: z.string(), kid: z.string().optional() })),
});
const header = z.object({ alg: z.string(), kid: z.string().optional() });

interface Key {
  readonly kid: string | undefined;
  readonly alg: string;
  readonly key: KeyObject;
}

interface SignedText {
  readonly alg: string;
  readonly kid: string | undefined;
  readonly text: Buffer;
  readonly signature: Buffer;
}

export class PublishedKeys {
  readonly #ports: PublishedKeysPorts;
  #keys: readonly Key[] = [];
  #readAt: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(ports: PublishedKeysPorts) {
    this.#ports = ports;
  }

  async prove(token: string): Promise<Proof> {
    const signed = signedIn(token);
    if (signed === undefined) return 'forged';
    if (this.#readAt === undefined) await this.#read();
    else if (this.#age() >= (this.#keys.length === 0 ? againMs : refreshMs)) void this.#read();
    if (this.#keys.length === 0) return 'unread';
    if (this.#keysFor(signed).length === 0 && this.#age() >= unknownKeyMs) await this.#read();
    const keys = this.#keysFor(signed);
    if (keys.length === 0) return 'unknown-key';
    return keys.some((key) => isSigned(signed, key)) ? 'signed' : 'forged';
  }

  #keysFor({ kid }: SignedText): readonly Key[] {
    return kid === undefined ? this.#keys : this.#keys.filter((key) => key.kid === kid);
  }

  #age(): number {
    return this.#ports.clock.now() - (this.#readAt ?? 0);
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readOnce().finally(() => {
      this.#readAt = this.#ports.clock.now();
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** After a failed read the previous keys stay in use. */
  async #readOnce(): Promise<void> {
    try {
      const keys = keysIn(parsed(await this.#ports.read()));
      if (keys.length > 0) this.#keys = keys;
    } catch (error) {
      if (!(error instanceof FleetError)) throw error;
    }
  }
}

function signedIn(token: string): SignedText | undefined {
  const [head = '', middle = '', signature = '', ...more] = token.split('.');
  const read = more.length === 0 ? header.safeParse(jsonIn(head)) : undefined;
  if (read?.success !== true) return undefined;
  const { alg, kid } = read.data;
  return {
    alg,
    kid,
    text: Buffer.from(`${head}.${middle}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function keysIn(body: unknown): readonly Key[] {
  const read = published.safeParse(body);
  return read.success ? read.data.keys.slice(0, keysMax).flatMap(keyOf) : [];
}

/** Skips an unsupported key; tokens signed with it have an unknown key. */
function keyOf({ alg, kid, ...jwk }: z.infer<typeof published>['keys'][number]): readonly Key[] {
  if (algorithms[alg] === undefined) return [];
  try {
    return [{ kid, alg, key: createPublicKey({ key: { ...jwk }, format: 'jwk' }) }];
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Uses the algorithm of the key only: a token must not choose a weaker one. */
function isSigned({ alg, text, signature }: SignedText, { key, alg: own }: Key): boolean {
  const digest = algorithms[own];
  return (
    alg === own && digest !== undefined && verify(digest, text, { key, dsaEncoding: 'ieee-p1363' }, signature)
  );
}

function jsonIn(part: string): unknown {
  return parsed(Buffer.from(part, 'base64url').toString());
}

/** Returns the error text if the JSON is invalid; that text matches neither schema. */
function parsed(text: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(text));
    return value;
  } catch (error) {
    return String(error);
  }
}
