/**
 * The keys that the cluster signs tokens of ServiceAccounts with, as its API server publishes them. A signature that is checked
 * here costs the API server nothing. It proves who made a token, not that the token still holds: the TokenReview does.
 */
import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { FleetError } from '../../../platform/errors/fleet-error.ts';
import type { Clock } from '../../../platform/clock.ts';

export interface PublishedKeysPorts {
  /** The text that the API server answers at `keysPath`: it refuses who wants plain JSON. */
  readonly read: () => Promise<unknown>;
  readonly clock: Clock;
}

/** `unread` where the keys are not known: nothing is proved then, and nothing refuted. */
export type Proof = 'signed' | 'forged' | 'unknown-key' | 'unread';

export const keysPath = '/openid/v1/jwks';

const refreshMs = 600_000;
/** A new key is published before the first token is signed with it; whoever makes up key names must not cause more requests. */
const unknownKeyMs = 10_000;
/** Where the keys could not be read. */
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

  /** Keys that were read once stay good where they cannot be read again. */
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

/** A key that we cannot read is left out: a token that names its key is then of an unknown one. */
function keyOf({ alg, kid, ...jwk }: z.infer<typeof published>['keys'][number]): readonly Key[] {
  if (algorithms[alg] === undefined) return [];
  try {
    return [{ kid, alg, key: createPublicKey({ key: { ...jwk }, format: 'jwk' }) }];
  } catch (error) {
    if (error instanceof Error) return [];
    throw error;
  }
}

/** Only by the algorithm of the key: a token must not choose a weaker one. */
function isSigned({ alg, text, signature }: SignedText, { key, alg: own }: Key): boolean {
  const digest = algorithms[own];
  return (
    alg === own && digest !== undefined && verify(digest, text, { key, dsaEncoding: 'ieee-p1363' }, signature)
  );
}

function jsonIn(part: string): unknown {
  return parsed(Buffer.from(part, 'base64url').toString());
}

/** What cannot be read is told as the words of the error, which are neither a header nor keys. */
function parsed(text: unknown): unknown {
  try {
    const value: unknown = JSON.parse(String(text));
    return value;
  } catch (error) {
    return String(error);
  }
}
