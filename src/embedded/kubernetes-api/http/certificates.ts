/** A certificate authority of our own: serving and client certificates, EC P-256, PEM. */
import { createPrivateKey, generateKeyPair, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import { uuid } from '../../../platform/ids.ts';
import type { Random } from '../../../platform/random.ts';
import {
  bits,
  bytes,
  integer,
  nestedField,
  oid,
  plainField,
  sequence,
  set,
  text,
  time,
  yes,
  type Der,
} from './der.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
/** The validity of the authority: ten years, as long as the data of a server may be kept. */
const authorityMs = 3650 * dayMs;
/** The validity of serving and client certificates, which are issued at each start. */
const issuedMs = 365 * dayMs;
const version3 = Uint8Array.of(2);
const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const newKeys = promisify(generateKeyPair);

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority {
  readonly certificate: string;
  /** The holder of this key can issue any identity. */
  readonly key: string;
  /** For a server on loopback. */
  serving(): Promise<KeyPair>;
  /** Kubernetes reads the user from CN and the groups from O. */
  client(user: string, groups?: readonly string[]): Promise<KeyPair>;
}

/** Keys come from the operating system; serial numbers and times come from the ports. */
export interface Ports {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

const nameParts = {
  user: (name: string): Der => set(sequence(oid('2.5.4.3'), text(name))),
  group: (name: string): Der => set(sequence(oid('2.5.4.10'), text(name))),
};

const issuer = sequence(nameParts.user('muster'));

export async function createAuthority(ports: Ports): Promise<Authority> {
  const own = await keysOnP256();
  const certificate = issue(ports, own.privateKey, {
    subject: issuer,
    publicKey: own.publicKey,
    validMs: authorityMs,
    extensions: [extension.authority, extension.signsOnly],
  });
  return openAuthority({ certificate, key: privatePem(own.privateKey) }, ports);
}

/** Opens an existing authority. */
export function openAuthority(pair: KeyPair, ports: Ports): Authority {
  const signingKey = createPrivateKey(pair.key);
  const issueFor = async (subject: Der, ...extensions: readonly Der[]): Promise<KeyPair> => {
    const { publicKey, privateKey } = await keysOnP256();
    const order = { subject, publicKey, validMs: issuedMs, extensions };
    return { certificate: issue(ports, signingKey, order), key: privatePem(privateKey) };
  };
  return {
    ...pair,
    serving: () =>
      issueFor(sequence(nameParts.user('localhost')), extension.forServers, extension.onLoopback),
    client: (user, groups = []) =>
      issueFor(sequence(...groups.map(nameParts.group), nameParts.user(user)), extension.forClients),
  };
}

interface Order {
  readonly subject: Der;
  readonly publicKey: KeyObject;
  readonly validMs: number;
  readonly extensions: readonly Der[];
}

function issue(ports: Ports, signingKey: KeyObject, order: Order): string {
  const content = sequence(
    nestedField(0, integer(version3)),
    serial(ports),
    ecdsaWithSha256,
    issuer,
    validity(ports, order.validMs),
    order.subject,
    order.publicKey.export({ type: 'spki', format: 'der' }),
    nestedField(3, sequence(...order.extensions)),
  );
  return pem(sequence(content, ecdsaWithSha256, bits(sign('sha256', content, signingKey))));
}

function privatePem(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

const extension = {
  /** These two extensions are critical. */
  authority: sequence(oid('2.5.29.19'), yes, bytes(sequence(yes))),
  /** keyCertSign and cRLSign: bits 5 and 6; the last bit is unused. */
  signsOnly: sequence(oid('2.5.29.15'), yes, bytes(bits(Uint8Array.of(0b0000_0110), 1))),
  forServers: sequence(oid('2.5.29.37'), bytes(sequence(oid('1.3.6.1.5.5.7.3.1')))),
  forClients: sequence(oid('2.5.29.37'), bytes(sequence(oid('1.3.6.1.5.5.7.3.2')))),
  /** Subject alternative names: 7 is an address, 2 a host name. */
  onLoopback: sequence(
    oid('2.5.29.17'),
    bytes(
      sequence(plainField(7, Uint8Array.of(127, 0, 0, 1)), plainField(2, Buffer.from('localhost', 'ascii'))),
    ),
  ),
};

function keysOnP256(): Promise<{ publicKey: KeyObject; privateKey: KeyObject }> {
  return newKeys('ec', { namedCurve: 'P-256' });
}

function serial({ random }: Ports): Der {
  return integer(Buffer.from(uuid(random).replaceAll('-', ''), 'hex'));
}

/** Starts an hour ago: a clock that is a little behind must accept a new certificate. */
function validity({ clock }: Ports, validMs: number): Der {
  const now = clock.now();
  return sequence(time(new Date(now - hourMs)), time(new Date(now + validMs)));
}

function pem(der: Der): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
