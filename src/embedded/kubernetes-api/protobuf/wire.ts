/** The protobuf wire format, as far as Kubernetes uses it: varints, length-delimited fields and doubles. */
import { badRequest } from '../status-error.ts';

/** A varint, or the bytes of another type. */
export type WireValue = bigint | Uint8Array;

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

const varint = 0;
const fixed64 = 1;
const delimited = 2;
const fixed64Bytes = 8;
const varintBytesMax = 10;

/** The fields of a message, in order. Truncated data and other wire types are rejected. */
export function wireFields(bytes: Uint8Array): readonly WireField[] {
  const reader = new Reader(bytes);
  const fields: WireField[] = [];
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const [number, type] = [tag >>> 3, tag & 7];
    fields.push({ number, value: reader.value(type) });
  }
  return fields;
}

class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  value(type: number): WireValue {
    if (type === varint) return this.varint();
    if (type === delimited) return this.bytes();
    if (type === fixed64) return this.#piece(fixed64Bytes);
    throw malformed(`wire type ${type}`);
  }

  varint(): bigint {
    let value = 0n;
    for (let index = 0; index < varintBytesMax; index += 1) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw malformed('a number that is cut off');
      this.#at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if ((byte & 0x80) === 0) return BigInt.asIntN(64, value);
    }
    throw malformed('a number that does not end');
  }

  bytes(): Uint8Array {
    return this.#piece(Number(this.varint()));
  }

  #piece(length: number): Uint8Array {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw malformed('a field that is cut off');
    const piece = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return piece;
  }
}

function malformed(what: string) {
  return badRequest(`the body is not a protobuf message: it has ${what}`);
}
