/** Makes keys from the random source of the operating system: SSH key pairs in OpenSSH format, and GitHub App keys. */
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { KeyMaker } from '../hosts/ssh-key/ports.ts';
import { Secret } from '../platform/secret.ts';

const newKeys = promisify(generateKeyPair);
const kind = 'ssh-ed25519';
const lineLength = 70;
/** The DER encodings of Ed25519 keys end with the raw key of this length. */
const rawLength = 32;
const blockLength = 8;

/** 256 random bits in base64url, which is safe in a header and on a command line. */
export function newToken(): Secret {
  return new Secret(randomBytes(32).toString('base64url'));
}

export const makeSshKey: KeyMaker = async (comment) => {
  const { publicKey, privateKey } = await newKeys('ed25519');
  const own = publicKey.export({ type: 'spki', format: 'der' }).subarray(-rawLength);
  const seed = privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-rawLength);
  const shown = Buffer.concat([text(kind), field(own)]);
  return {
    publicKey: `${kind} ${shown.toString('base64')} ${comment}`,
    privateKey: new Secret(pem(privatePart({ own, seed, shown, comment }))),
  };
};

/** In PKCS#1 PEM, as GitHub issues App keys. */
export async function makeAppKey(): Promise<Secret> {
  const { privateKey } = await newKeys('rsa', { modulusLength: 2048 });
  return new Secret(String(privateKey.export({ type: 'pkcs1', format: 'pem' })));
}

interface Parts {
  readonly own: Buffer;
  readonly seed: Buffer;
  readonly shown: Buffer;
  readonly comment: string;
}

/** Not encrypted: the Kubernetes Secret protects the key. */
function privatePart({ own, seed, shown, comment }: Parts): Buffer {
  const check = randomBytes(4);
  const inner = Buffer.concat([
    check,
    check,
    text(kind),
    field(own),
    field(Buffer.concat([seed, own])),
    text(comment),
  ]);
  const missing = (blockLength - (inner.length % blockLength)) % blockLength;
  const padding = Buffer.from(Array.from({ length: missing }, (_, at) => at + 1));
  return Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    text('none'),
    text('none'),
    text(''),
    Buffer.from([0, 0, 0, 1]),
    field(shown),
    field(Buffer.concat([inner, padding])),
  ]);
}

function text(value: string): Buffer {
  return field(Buffer.from(value));
}

function field(value: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return Buffer.concat([length, value]);
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join(
    '\n',
  );
}
