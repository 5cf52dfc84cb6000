/**
 * The algorithms of a connection, listed here so that an update of the library adds none. Each list holds what OpenSSH 9
 * offers by default and the library implements: macOS has shipped such a server since 2017. No SHA-1, no CBC, no finite-field
 * groups, and only MACs over the encrypted text, so that a server limited to old algorithms is refused. No compression.
 */
import type { Algorithms } from 'ssh2';

/** In the order of preference. */
export const hostKeyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;

export type HostKeyType = (typeof hostKeyTypes)[number];

export function algorithms(hostKeys: readonly HostKeyType[]): Algorithms {
  return {
    kex: [
      'curve25519-sha256',
      'curve25519-sha256@libssh.org',
      'ecdh-sha2-nistp256',
      'ecdh-sha2-nistp384',
      'ecdh-sha2-nistp521',
    ],
    cipher: [
      'aes128-gcm@openssh.com',
      'aes256-gcm@openssh.com',
      'chacha20-poly1305@openssh.com',
      'aes256-ctr',
    ],
    hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
    compress: ['none'],
    serverHostKey: [...hostKeys],
  };
}
