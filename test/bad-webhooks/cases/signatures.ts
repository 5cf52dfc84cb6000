/** Invalid signatures, and valid signatures over unusual bytes. */
import type { BadWebhook } from '../bad-webhook.ts';
import { payloadWith } from '../payload.ts';

const refused = { status: 401, outcome: 'bad_signature' } as const;
const header = 'x-hub-signature-256';
const hex = 'ab'.repeat(32);

export const signatures: readonly BadWebhook[] = [
  { says: 'no signature', headers: { [header]: undefined }, ...refused },
  { says: 'an empty signature', headers: { [header]: '' }, ...refused },
  { says: 'a signature of SHA-1', headers: { [header]: `sha1=${'ab'.repeat(20)}` }, ...refused },
  {
    says: 'a signature of SHA-1 in its own header',
    headers: { [header]: undefined, 'x-hub-signature': `sha1=${'ab'.repeat(20)}` },
    ...refused,
  },
  {
    says: 'the signature in capitals',
    respelled: (signature) => signature.replace(/[0-9a-f]{64}$/, (digits) => digits.toUpperCase()),
    ...refused,
  },
  { says: 'a signature without its name', headers: { [header]: hex }, ...refused },
  { says: 'a name without a signature', headers: { [header]: 'sha256=' }, ...refused },
  { says: 'a signature that is cut off', headers: { [header]: `sha256=${hex.slice(2)}` }, ...refused },
  { says: 'a signature that is too long', headers: { [header]: `sha256=${hex}00` }, ...refused },
  {
    says: 'a signature that is not hexadecimal',
    headers: { [header]: `sha256=${'zz'.repeat(32)}` },
    ...refused,
  },
  { says: 'a signature with something behind it', headers: { [header]: `sha256=${hex};` }, ...refused },
  { says: 'a well-formed signature of something else', headers: { [header]: `sha256=${hex}` }, ...refused },
  { says: 'two signatures', headers: { [header]: [`sha256=${hex}`, `sha256=${hex}`] }, ...refused },
  { says: 'a signature under an unknown secret', signedWith: 'another', ...refused },
  {
    says: 'a signature under the older secret',
    signedWith: 'the older secret',
    status: 200,
    outcome: 'changed',
    job: 'queued',
  },
  {
    says: 'the signature of the same JSON, written another way',
    signedBody: JSON.stringify(JSON.parse(payloadWith())),
    ...refused,
  },
  {
    says: 'odd white space that is signed as it is',
    body: `\r\n\t ${payloadWith().replaceAll(',', ' ,\n')}  \n`,
    status: 200,
    outcome: 'changed',
    job: 'queued',
  },
  {
    says: 'a byte order mark that is signed',
    body: `\ufeff${payloadWith()}`,
    status: 200,
    outcome: 'changed',
    job: 'queued',
  },
  {
    says: 'a forged address of the sender',
    headers: { 'x-forwarded-for': '127.0.0.1' },
    signedWith: 'another',
    ...refused,
  },
];
