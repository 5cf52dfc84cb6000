/** The wire format of protocol buffers, as far as Kubernetes uses it: varints and length-delimited fields. */
import { badRequest } from '../status-error.ts';

/** A varint, or the bytes of anything else. */
export type WireValue = bigint | Uint8Array;

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

const varint = 0;
const delimited = 2;
const varintBytesMax = 10;

/** The fields of a message, in order. What is cut off or of another wire type is refused. */
export function wireFields(bytes: Uint8Array): readonly WireField[] {
  const reader = new Reader(bytes);
  const fields: WireField[] = [];
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const [number, type] = [tag >>> 3, tag & 7];
    if (type !== varint && type !== delimited) throw malformed(`wire type ${type}`);
    fields.push({ number, value: type === varint ? reader.varint() : reader.bytes() });
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
    const length = Number(this.varint());
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
