/** Parses the OpenSSH format, and checks a signature of the private key with the public key. */
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { makeSshKey } from './real-keys.ts';

/** Splits length-prefixed fields. */
function fieldsIn(bytes: Buffer, count: number): readonly Buffer[] {
  const fields: Buffer[] = [];
  let at = 0;
  while (fields.length < count) {
    const end = at + 4 + bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return [...fields, bytes.subarray(at)];
}

it('makes matching, named and distinct key pairs', async () => {
  const [pair, other] = [await makeSshKey('tuist-capi-runners'), await makeSshKey('x')];
  const [kind, encoded, comment] = pair.publicKey.split(' ');
  expect([kind, comment, other.publicKey.includes(encoded ?? '')]).toEqual([
    'ssh-ed25519',
    'tuist-capi-runners',
    false,
  ]);
  const lines = pair.privateKey.reveal().trim().split('\n');
  const bytes = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  const magic = 'openssh-key-v1\0';
  expect(bytes.subarray(0, magic.length).toString()).toBe(magic);
  const [cipher, kdf, options, rest = Buffer.alloc(0)] = fieldsIn(bytes.subarray(magic.length), 3);
  expect([cipher, kdf, options].map(String)).toEqual(['none', 'none', '']);
  const [shown, inner = Buffer.alloc(0)] = fieldsIn(rest.subarray(4), 2);
  expect(shown?.toString('base64')).toBe(encoded);
  expect([inner.length % 8, inner.subarray(0, 4).equals(inner.subarray(4, 8))]).toEqual([0, true]);
  const [innerKind, own, both = Buffer.alloc(0), remark, padding] = fieldsIn(inner.subarray(8), 4);
  expect([String(innerKind), String(remark)]).toEqual(['ssh-ed25519', 'tuist-capi-runners']);
  expect([...(padding ?? [])]).toEqual([...(padding ?? [])].map((_, at) => at + 1));
  const text = (value: Buffer | undefined) => (value ?? Buffer.alloc(0)).toString('base64url');
  const open = { kty: 'OKP', crv: 'Ed25519', x: text(own) };
  const privateKey = createPrivateKey({ key: { ...open, d: text(both.subarray(0, 32)) }, format: 'jwk' });
  const signature = sign(null, Buffer.from('hello'), privateKey);
  expect(verify(null, Buffer.from('hello'), createPublicKey({ key: open, format: 'jwk' }), signature)).toBe(
    true,
  );
});

it('does not print the private key', async () => {
  const { privateKey } = await makeSshKey('x');
  expect(String(privateKey) + JSON.stringify({ privateKey })).not.toContain('PRIVATE KEY');
});
