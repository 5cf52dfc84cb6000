/** A certificate authority of our own: serving and client certificates, EC P-256, PEM. */
import 'reflect-metadata';
import type { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import type { Clock } from '../../runtime/clock.ts';
import { uuid } from '../../runtime/ids.ts';
import type { Random } from '../../runtime/random.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const dayMs = 24 * 60 * 60 * 1000;
/** As long as the data that the authority belongs to may be kept. */
const authorityDays = 3650;
/** Fresh ones are made at each start. */
const issuedDays = 365;

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  readonly certificate: string;
  /** Whoever has it can be anybody. */
  readonly key: string;
  /** For a server on loopback. */
  serving(): Promise<KeyPair>;
  /** Kubernetes reads the user from CN and the groups from O. */
  client(user: string, groups?: readonly string[]): Promise<KeyPair>;
}

/** Keys come from the operating system; only serial numbers and times come through the ports. */
export interface Ports {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

export async function createAuthority(ports: Ports): Promise<Authority> {
  const keys = await newKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(ports),
    name: 'CN=muster',
    ...validity(ports, authorityDays),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return openAuthority({ certificate: root.toString('pem'), key: await privatePem(keys.privateKey) }, ports);
}

/** One that was made before. */
export async function openAuthority(pair: KeyPair, ports: Ports): Promise<Authority> {
  const root = new x509.X509Certificate(pair.certificate);
  const signingKey = await crypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(pair.key),
    algorithm,
    false,
    ['sign'],
  );
  const issue = async (subject: x509.JsonName, extensions: x509.Extension[]): Promise<KeyPair> => {
    const own = await newKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(ports),
      subject,
      issuer: root.subject,
      ...validity(ports, issuedDays),
      signingAlgorithm: algorithm,
      publicKey: own.publicKey,
      signingKey,
      extensions,
    });
    return { certificate: certificate.toString('pem'), key: await privatePem(own.privateKey) };
  };
  return { ...pair, ...issuing(issue) };
}

type Issue = (subject: x509.JsonName, extensions: x509.Extension[]) => Promise<KeyPair>;

function issuing(issue: Issue): Pick<Authority, 'serving' | 'client'> {
  return {
    serving: () =>
      issue(
        [{ CN: ['localhost'] }],
        [
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
          new x509.SubjectAlternativeNameExtension([
            { type: 'ip', value: '127.0.0.1' },
            { type: 'dns', value: 'localhost' },
          ]),
        ],
      ),
    client: (user, groups = []) =>
      issue(
        [...groups.map((group) => ({ O: [group] })), { CN: [user] }],
        [new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth])],
      ),
  };
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

async function privatePem(key: webcrypto.CryptoKey): Promise<string> {
  const raw = await crypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(raw, x509.PemConverter.PrivateKeyTag);
}

function serial({ random }: Ports): string {
  return uuid(random).replaceAll('-', '');
}

/** Starts an hour ago: a clock that is set back a little must not make a fresh certificate invalid. */
function validity({ clock }: Ports, days: number): { notBefore: Date; notAfter: Date } {
  const now = clock.now();
  return { notBefore: new Date(now - dayMs / 24), notAfter: new Date(now + days * dayMs) };
}
