/**
 * The algorithms of a connection, listed here so that an update of the library adds none. OpenSSH, the server of macOS, has
 * had an entry of each list since 2014. Left out are SHA-1, CBC, finite-field groups, MACs over the plain text, and
 * compression: a server that is limited to them is refused.
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
