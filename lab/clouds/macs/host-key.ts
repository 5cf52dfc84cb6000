/** Host keys of simulated Macs, in OpenSSH format. ssh2's own maker writes Ed25519 keys at times that no client reads. */
import { createHash, generateKeyPairSync } from 'node:crypto';

export interface HostKey {
  /** As OpenSSH prints it: `SHA256:` and base64 without padding. */
  readonly fingerprint: string;
  /** `ssh-ed25519 AAAA…`, as in known_hosts. */
  readonly publicKey: string;
  readonly privateKey: string;
}

const kind = 'ssh-ed25519';
/** The DER encodings of Ed25519 keys end with the raw key, leading zeros included. */
const rawLength = 32;
const blockLength = 8;

export function makeHostKey(): HostKey {
  const pair = generateKeyPairSync('ed25519');
  const own = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-rawLength);
  const seed = pair.privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-rawLength);
  const wire = Buffer.concat([field(kind), field(own)]);
  return {
    fingerprint: fingerprintOf(wire),
    publicKey: `${kind} ${wire.toString('base64')}`,
    privateKey: pem(wire, Buffer.concat([field(kind), field(own), field(Buffer.concat([seed, own]))])),
  };
}

/** Of a public key in the format of the wire. */
export function fingerprintOf(wire: Buffer): string {
  return `SHA256:${createHash('sha256').update(wire).digest('base64').replace(/=+$/, '')}`;
}

function pem(wire: Buffer, secretPart: Buffer): string {
  // Two equal check numbers prove a right passphrase; without a passphrase any number does.
  const inner = Buffer.concat([Buffer.alloc(8), secretPart, field('')]);
  const missing = (blockLength - (inner.length % blockLength)) % blockLength;
  const padding = Buffer.from(Array.from({ length: missing }, (_, at) => at + 1));
  const content = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    field('none'),
    field('none'),
    field(''),
    Buffer.from([0, 0, 0, 1]),
    field(wire),
    field(Buffer.concat([inner, padding])),
  ]);
  const lines = content.toString('base64').match(/.{1,70}/g) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}

function field(value: string | Buffer): Buffer {
  const content = Buffer.from(value);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}
