/** A key pair without a certificate, for signing and verifying ServiceAccount tokens. */
import { generateKeyPairSync } from 'node:crypto';

export function signingKeys(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
