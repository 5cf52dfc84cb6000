/**
 * An encoder for the parts of DER, the binary form of certificates, that we write. Node reads certificates. A full
 * library took a quarter of the start time of the server.
 */

/** A value with tag and length. */
export type Der = Uint8Array;

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  bytes: 0x04,
  oid: 0x06,
  text: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  /** A context-specific field, identified by a number instead of a type. */
  field: 0x80,
  nested: 0x20,
} as const;

export function sequence(...parts: readonly Der[]): Der {
  return tagged(tags.sequence, Buffer.concat(parts));
}

export function set(part: Der): Der {
  return tagged(tags.set, part);
}

/** A field that contains a whole value. */
export function nestedField(number: number, part: Der): Der {
  return tagged(tags.field | tags.nested | number, part);
}

/** A field with these bytes as content. */
export function plainField(number: number, content: Uint8Array): Der {
  return tagged(tags.field | number, content);
}

export const yes: Der = tagged(tags.boolean, Uint8Array.of(0xff));

/** A nonnegative number, most significant byte first. */
export function integer(magnitude: Uint8Array): Der {
  const first = magnitude.findIndex((byte) => byte !== 0);
  const digits = first === -1 ? Uint8Array.of(0) : magnitude.subarray(first);
  // A leading high bit would make the number negative.
  const isNegative = (digits[0] ?? 0) >= 0x80;
  return tagged(tags.integer, isNegative ? Uint8Array.of(0, ...digits) : digits);
}

export function bits(content: Uint8Array, unused = 0): Der {
  return tagged(tags.bits, Uint8Array.of(unused, ...content));
}

export function bytes(content: Uint8Array): Der {
  return tagged(tags.bytes, content);
}

export function text(content: string): Der {
  return tagged(tags.text, Buffer.from(content, 'utf8'));
}

/** Encodes the dotted form, such as `2.5.4.3`. */
export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(tags.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(inSevens)));
}

/** Seven bits per byte; the high bit marks a continuation. */
function inSevens(number: number): readonly number[] {
  const high = Math.floor(number / 128);
  return high === 0 ? [number] : [...inSevens(high).map((byte) => byte | 0x80), number % 128];
}

/** Certificates must write years before 2050 with two digits, and later ones with four. */
export function time(at: Date): Der {
  const digits = `${at.toISOString().replaceAll(/[-:T]|\.\d+Z$/g, '')}Z`;
  if (at.getUTCFullYear() >= 2050) return tagged(tags.generalizedTime, Buffer.from(digits));
  return tagged(tags.utcTime, Buffer.from(digits.slice(2)));
}

function tagged(tag: number, content: Uint8Array): Der {
  return Buffer.concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

function lengthOf(length: number): readonly number[] {
  if (length < 128) return [length];
  const digits = length < 256 ? [length] : [length >> 8, length & 0xff];
  if (length > 0xffff) throw new Error('nothing in a certificate is that long');
  return [0x80 | digits.length, ...digits];
}
