/** Converts scalar values of a message to JSON. */
import type { Json } from '../json.ts';
import { badRequest } from '../status-error.ts';
import type { Scalar } from './messages.ts';
import { wireFields, type WireValue } from './wire.ts';

const text = new TextDecoder('utf-8', { fatal: false });
const millisMax = 8.64e15;

const readers: Readonly<Record<Scalar, (value: WireValue) => Json>> = {
  string: textOf,
  bool: (value) => numberOf(value) !== 0n,
  int: (value) => Number(numberOf(value)),
  double: doubleOf,
  bytes: (value) => Buffer.from(bytesOf(value)).toString('base64'),
  time: (value) => timeOf(value, (seconds) => `${seconds}Z`),
  microtime: (value) => timeOf(value, (seconds, nanos) => `${seconds}.${micros(nanos)}Z`),
  quantity: (value) => textOf(field(value, 1)) || '0',
  intorstring: intOrString,
  raw: (value) => rawJson(field(value, 1)),
  texts: (value) => wireFields(bytesOf(value)).map((item) => textOf(item.value)),
};

export function scalarOf(type: Scalar, value: WireValue): Json {
  return readers[type](value);
}

/** Go sends unset numbers, strings and times. */
export function isEmptyScalar(type: Scalar, value: WireValue): boolean {
  const empty = scalarOf(type, value);
  return empty === '' || empty === 0 || empty === false || empty === null;
}

/** JSON has no infinite numbers and no NaN. */
function doubleOf(value: WireValue): Json {
  const bytes = bytesOf(value);
  if (bytes.length !== 8) throw badRequest('the body has a number of a wrong length');
  const number = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  return Number.isFinite(number) ? number : null;
}

function field(value: WireValue, wanted: number): WireValue | undefined {
  return wireFields(bytesOf(value)).find(({ number }) => number === wanted)?.value;
}

/** A message without fields means no time. */
function timeOf(value: WireValue, write: (seconds: string, nanos: bigint) => string): Json {
  if (bytesOf(value).length === 0) return null;
  const [seconds, nanos] = [numberOf(field(value, 1) ?? 0n), numberOf(field(value, 2) ?? 0n)];
  const millis = Number(seconds) * 1000;
  if (Math.abs(millis) > millisMax) throw badRequest('the body has a time that no calendar has');
  return write(new Date(millis).toISOString().replace(/\.\d+Z$/, ''), nanos);
}

function micros(nanos: bigint): string {
  return String(nanos / 1000n).padStart(6, '0');
}

function intOrString(value: WireValue): Json {
  const isText = numberOf(field(value, 1) ?? 0n) === 1n;
  return isText ? textOf(field(value, 3)) : Number(numberOf(field(value, 2) ?? 0n));
}

function rawJson(value: WireValue | undefined): Json {
  try {
    const parsed: Json = JSON.parse(textOf(value));
    return parsed;
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest('the body holds JSON that cannot be read');
    throw error;
  }
}

export function bytesOf(value: WireValue | undefined): Uint8Array {
  if (value === undefined) return new Uint8Array();
  if (typeof value === 'bigint') throw badRequest('the body has a number where a message should be');
  return value;
}

function numberOf(value: WireValue): bigint {
  if (typeof value !== 'bigint') throw badRequest('the body has a message where a number should be');
  return value;
}

export function textOf(value: WireValue | undefined): string {
  return text.decode(bytesOf(value));
}
