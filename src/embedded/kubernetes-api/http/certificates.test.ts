/** Certificates as OpenSSL (in Node) reads them. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyRandom as random } from '../../../../lab/harness/wall-clock.ts';
import { createAuthority } from './certificates.ts';

const clock = { now: () => Date.UTC(2026, 4, 1, 12) };
const authority = await createAuthority({ clock, random });
const root = new X509Certificate(authority.certificate);
const serverAuth = '1.3.6.1.5.5.7.3.1';
const clientAuth = '1.3.6.1.5.5.7.3.2';

it('the authority is self-signed and marked as a CA', () => {
  expect({ ca: root.ca, name: root.subject, own: root.verify(root.publicKey) }).toEqual({
    ca: true,
    name: 'CN=muster',
    own: true,
  });
});

it('the serving certificate is for loopback and for servers only', async () => {
  const pair = await authority.serving();
  const certificate = new X509Certificate(pair.certificate);
  expect({
    issued: certificate.checkIssued(root) && certificate.verify(root.publicKey),
    fits: certificate.checkPrivateKey(createPrivateKey(pair.key)),
    ca: certificate.ca,
    names: certificate.subjectAltName,
    use: certificate.keyUsage,
  }).toEqual({
    issued: true,
    fits: true,
    ca: false,
    names: 'IP Address:127.0.0.1, DNS:localhost',
    use: [serverAuth],
  });
});

it('a client certificate names its user and its groups, and is for clients only', async () => {
  const pair = await authority.client('admin', ['system:masters', 'team']);
  const certificate = new X509Certificate(pair.certificate);
  expect({
    issued: certificate.verify(root.publicKey),
    subject: certificate.toLegacyObject().subject,
    use: certificate.keyUsage,
  }).toEqual({
    issued: true,
    subject: { O: ['system:masters', 'team'], CN: 'admin' },
    use: [clientAuth],
  });
});

it('keeps names of any length and script', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }), async (user) => {
      fc.pre(!user.includes('\0') && user.isWellFormed());
      const { certificate } = await authority.client(user);
      expect(new X509Certificate(certificate).toLegacyObject().subject).toEqual({ CN: user });
    }),
    { numRuns: 50 },
  );
});

it.for([2026, 2049, 2050, 2120])(
  'in %i what it issues is valid from an hour ago for 365 days, and it for ten times that',
  async (year) => {
    const now = Date.UTC(year, 4, 1, 12);
    const made = await createAuthority({ clock: { now: () => now }, random });
    const { certificate } = await made.serving();
    const [own, issued] = [made.certificate, certificate].map((pem) => new X509Certificate(pem));
    const from = new Date(now - 60 * 60 * 1000);
    const inDays = (days: number): Date => new Date(now + days * 24 * 60 * 60 * 1000);
    expect([issued?.validFromDate, issued?.validToDate]).toEqual([from, inDays(365)]);
    expect([own?.validFromDate, own?.validToDate]).toEqual([from, inDays(3650)]);
  },
);

it.for([
  ['all zeros', 0, '4000800000000000'],
  ['all ones', 0.999, 'FFFFFFFFFFFF4FFFBFFFFFFFFFFFFFFF'],
] as const)('a serial number drawn as %s is positive and as short as can be', async ([, drawn, serial]) => {
  const { certificate } = await createAuthority({ clock, random: { next: () => drawn } });
  expect(new X509Certificate(certificate).serialNumber).toMatch(new RegExp(`^0*${serial}`));
});

it('two certificates never share a serial number', async () => {
  const pairs = await Promise.all(['a', 'b', 'c'].map((user) => authority.client(user)));
  const serials = pairs.map((pair) => new X509Certificate(pair.certificate).serialNumber);
  expect(new Set([root.serialNumber, ...serials]).size).toBe(4);
});
