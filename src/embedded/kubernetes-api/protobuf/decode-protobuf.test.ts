import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../status-error.ts';
import { decodeProtobuf } from './decode-protobuf.ts';

/** One field of a message: a varint, a text, or the bytes of another message. */
type Part = readonly [number, number | string | Uint8Array];

function message(...parts: readonly Part[]): Uint8Array {
  return Buffer.concat(parts.map(([number, value]) => field(number, value)));
}

function field(number: number, value: number | string | Uint8Array): Uint8Array {
  if (typeof value === 'number') return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length), ...bytes]);
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

function body(kind: string, raw: Uint8Array, apiVersion = 'v1'): Uint8Array {
  const envelope = message([1, message([1, apiVersion], [2, kind])], [2, raw], [3, ''], [4, '']);
  return Buffer.concat([Buffer.from('k8s\0'), envelope]);
}

function refusal(bytes: Uint8Array): number | undefined {
  try {
    decodeProtobuf(bytes);
    return undefined;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

describe('a protobuf body', () => {
  it('may be a CustomResourceDefinition with schemas and numbers', () => {
    const text = message([5, 'string']);
    // A field of eight bytes: the maximum 1.5.
    const maximum = Buffer.from([(9 << 3) | 1, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]);
    const number = Buffer.concat([message([5, 'number'], [8, message([1, '1.25'])]), maximum]);
    const list = message([5, 'array'], [24, message([1, text])], [41, 'name']);
    const properties = [
      ['text', text],
      ['number', number],
      ['list', list],
      ['open', message([30, message([1, 1])])],
      ['map', message([30, message([1, 1], [2, text])])],
    ] as const;
    const schema = message(
      [5, 'object'],
      ...properties.map(([name, inner]): Part => [29, message([1, name], [2, inner])]),
    );
    const version = message([1, 'v1'], [2, 1], [3, 1], [4, message([1, schema])]);
    const spec = message([1, 'example.com'], [7, version]);
    const { spec: read } = decodeProtobuf(
      body('CustomResourceDefinition', message([2, spec]), 'apiextensions.k8s.io/v1'),
    );
    expect(read).toMatchObject({
      group: 'example.com',
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                number: { type: 'number', maximum: 1.5, default: 1.25 },
                list: { items: { type: 'string' }, 'x-kubernetes-list-map-keys': ['name'] },
                open: { additionalProperties: true },
                map: { additionalProperties: { type: 'string' } },
              },
            },
          },
        },
      ],
    });
  });

  it('is decoded to JSON', () => {
    const metadata = message(
      [1, 'a'],
      [2, ''],
      [7, 0],
      [8, message()],
      [11, message([1, 'team'], [2, 'ci'])],
      [11, message([1, 'zone'], [2, 'x'])],
      [14, 'b/c'],
      [14, 'd/e'],
    );
    const secret = message(
      [1, metadata],
      [2, message([1, 'key'], [2, Buffer.from([1, 2, 255])])],
      [3, 'Opaque'],
      [5, 1],
    );
    expect(decodeProtobuf(body('Secret', secret))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'a', labels: { team: 'ci', zone: 'x' }, finalizers: ['b/c', 'd/e'] },
      data: { key: 'AQL/' },
      type: 'Opaque',
      immutable: true,
    });
  });

  it('decodes a time, and an empty time as none', () => {
    const metadata = message([1, 'a'], [9, message([1, 981_173_106])]);
    expect(decodeProtobuf(body('Namespace', message([1, metadata], [2, message()])))).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'a', deletionTimestamp: '2001-02-03T04:05:06Z' },
      spec: {},
    });
  });

  it('with a map key called __proto__ pollutes nothing', () => {
    const decoded = decodeProtobuf(
      body('ConfigMap', message([2, message([1, '__proto__'], [2, 'x'])], [2, message([1, 'a'], [2, 'y'])])),
    );
    expect(JSON.stringify(decoded['data'])).toBe('{"__proto__":"x","a":"y"}');
  });

  it('with delete options of any version is read', () => {
    const options = message([2, message([1, 'some-uid'])], [4, 'Foreground'], [5, 'All']);
    expect(decodeProtobuf(body('DeleteOptions', options, 'meta.k8s.io/v1'))).toMatchObject({
      preconditions: { uid: 'some-uid' },
      propagationPolicy: 'Foreground',
      dryRun: ['All'],
    });
  });

  it('of an unknown kind is 415', () => {
    expect(refusal(body('StatefulSet', message(), 'apps/v1'))).toBe(415);
  });

  it('that is invalid, or truncated anywhere, is 400', () => {
    expect(refusal(Buffer.from('{}'))).toBe(400);
    const whole = body('ConfigMap', message([1, message([1, 'a'])], [2, message([1, 'k'], [2, 'v'])]));
    const cut = Array.from({ length: whole.length - 4 }, (_, index) => refusal(whole.subarray(0, index + 4)));
    expect(cut.filter((code) => code !== undefined && code !== 400 && code !== 415)).toEqual([]);
  });

  it('of random bytes fails in no other way', () => {
    const codes = fc
      .sample(fc.uint8Array({ maxLength: 200 }), { numRuns: 2000, seed: 7 })
      .map((bytes) => refusal(Buffer.concat([Buffer.from('k8s\0'), bytes])));
    expect(codes.filter((code) => code !== undefined && code !== 400 && code !== 415)).toEqual([]);
  });
});
