/** A key pair without a certificate, as ServiceAccount tokens are signed and checked with. */
import { generateKeyPairSync } from 'node:crypto';

export function signingKeys(): { readonly privateKey: string; readonly publicKey: string } {
  return generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
}
