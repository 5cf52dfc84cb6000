/** Compares the key of a host with the expected key, by the fingerprint that OpenSSH shows. */
import { createHash } from 'node:crypto';
import type { HostKeyType } from './algorithms.ts';
import type { Fingerprint, HostKeyExpectation } from './port.ts';

/** `key` is the public key in the format of the wire. */
export function fingerprintOf(key: Buffer): Fingerprint {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The answers for one connection, which may exchange keys several times. */
export class HostKeyCheck {
  readonly #expected: HostKeyExpectation;
  #seen: { readonly fingerprint: Fingerprint; readonly type: string } | undefined;

  constructor(expected: HostKeyExpectation) {
    this.#expected = expected;
  }

  get seen(): Fingerprint | undefined {
    return this.#seen?.fingerprint;
  }

  /** As the key calls itself, such as `ssh-rsa`. */
  get type(): string | undefined {
    return this.#seen?.type;
  }

  /** The key that is wanted instead, or nothing where this key is right. */
  refusal(key: Buffer): Fingerprint | undefined {
    const fingerprint = fingerprintOf(key);
    const wanted = this.#expected.kind === 'pinned' ? this.#expected.fingerprint : (this.seen ?? fingerprint);
    this.#seen = { fingerprint, type: key.toString('latin1', 4, 4 + key.readUInt32BE(0)) };
    return fingerprint === wanted ? undefined : wanted;
  }
}

/** The types that are left when a key of this type was wrong. An RSA key serves two of them. */
export function otherTypes(offered: readonly HostKeyType[], type: string): readonly HostKeyType[] {
  return offered.filter((one) => (type === 'ssh-rsa' ? !one.startsWith('rsa-') : one !== type));
}
