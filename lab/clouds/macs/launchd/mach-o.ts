/**
 * Programs that the simulated kernel checks as it checks Mach-O: scripts whose second line is `# Mach-O SIGNER DIGEST`. Other
 * scripts run unchecked, as on a Mac. The digest is the SHA-256 of everything but that line.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

/** `adhoc`, `unsigned`, or the team of a Developer ID, such as `HX7739G8FX`. */
export type Signer = string;

/** A program with a valid signature that runs these lines in sh. A linker signs `adhoc`. */
export function machO(lines: string, signer: Signer = 'adhoc'): string {
  const [first, rest] = ['#!/bin/sh\n', `${lines.replace(/\n$/, '')}\n`];
  const marker = signer === 'unsigned' ? signer : `${signer} ${digestOf(`${first}${rest}`)}`;
  return `${first}# Mach-O ${marker}\n${rest}`;
}

function digestOf(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function isIntact(content: string): boolean | undefined {
  const [, first = '', signer, digest, rest = ''] =
    /^(#![^\n]*\n)# Mach-O (\S+) ?(\S*)\n([^]*)$/.exec(content) ?? [];
  return signer === undefined ? undefined : digest === digestOf(Buffer.from(first + rest, 'latin1'));
}

/** What the kernel remembers of the programs that ran, until the next boot. */
export class SignatureCache {
  readonly #digests = new Map<string, string>();

  /** False where the kernel kills the program at its start. */
  admits(path: string): boolean {
    const content = readFileSync(path, 'latin1');
    const intact = isIntact(content);
    if (intact === undefined) return true;
    // An inode number is given again after a file was removed; the time of birth tells the files apart.
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    const [key, digest] = [`${ino} ${birthtimeNs}`, digestOf(Buffer.from(content, 'latin1'))];
    const known = this.#digests.get(key);
    if (known === undefined) this.#digests.set(key, digest);
    return intact && (known ?? digest) === digest;
  }

  clear(): void {
    this.#digests.clear();
  }
}
