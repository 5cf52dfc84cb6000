/** A Kubernetes protobuf body as the JSON it stands for: an envelope that names the kind, and the message in it. */
import type { Json, JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { messages, type Field, type FieldType, type Message } from './messages.ts';
import { wireFields } from './wire.ts';

export const protobufType = 'application/vnd.kubernetes.protobuf';

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0);
const nanosPerMilli = 1_000_000n;
const text = new TextDecoder('utf-8', { fatal: false });

export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (magic.some((byte, index) => bytes[index] !== byte))
    throw badRequest('the body does not begin like a Kubernetes protobuf message');
  const envelope = new Map(
    wireFields(bytes.subarray(magic.length)).map(({ number, value }) => [number, value]),
  );
  const type = new Map(
    wireFields(bytesOf(envelope.get(1))).map(({ number, value }) => [number, textOf(value)]),
  );
  const [apiVersion = '', kind = ''] = [type.get(1), type.get(2)];
  // Options of a delete carry the version of whatever is deleted.
  const known = messages.get(kind === 'DeleteOptions' ? 'v1 DeleteOptions' : `${apiVersion} ${kind}`);
  if (known === undefined) {
    const said = `${apiVersion} ${kind}`.slice(0, 200);
    throw new StatusError(
      'UnsupportedMediaType',
      `${said} is not accepted in protobuf here; send it as application/json (kubectl apply -f does)`,
    );
  }
  return { apiVersion, kind, ...objectOf(known, bytesOf(envelope.get(2))) };
}

function objectOf(message: Message, bytes: Uint8Array): JsonObject {
  const object = new Map<string, Json>();
  for (const { number, value } of wireFields(bytes)) {
    const field = message.get(number);
    if (field === undefined) continue;
    const decoded = valueOf(field.type, value);
    if (decoded !== undefined) object.set(field.name, joined(field, object.get(field.name), decoded));
  }
  return Object.fromEntries(object);
}

/** Lists and maps come as one field for each of their items. */
function joined({ type, repeated }: Field, before: Json | undefined, value: Json): Json {
  if (repeated === true) return [...(Array.isArray(before) ? before : []), value];
  const isMap = typeof type === 'object' && 'map' in type;
  if (!isMap || typeof value !== 'object' || value === null || typeof before !== 'object' || before === null)
    return value;
  return Object.fromEntries([...Object.entries(before), ...Object.entries(value)]);
}

function valueOf(type: FieldType, value: bigint | Uint8Array): Json | undefined {
  if (typeof type === 'object')
    return 'map' in type ? mapEntry(type.map, bytesOf(value)) : objectOf(type.message, bytesOf(value));
  switch (type) {
    case 'string':
      // Go sends the empty text for a field that nobody set.
      return textOf(value) === '' ? undefined : textOf(value);
    case 'bool':
      return numberOf(value) !== 0n;
    case 'int':
      return Number(numberOf(value));
    case 'time':
      return timeOf(bytesOf(value));
  }
}

function mapEntry(type: 'string' | 'bytes', bytes: Uint8Array): Json {
  const entry = new Map(wireFields(bytes).map(({ number, value }) => [number, bytesOf(value)]));
  const content = entry.get(2) ?? new Uint8Array();
  return Object.fromEntries([
    [
      text.decode(entry.get(1)),
      type === 'bytes' ? Buffer.from(content).toString('base64') : text.decode(content),
    ],
  ]);
}

function timeOf(bytes: Uint8Array): string | undefined {
  const fields = new Map(wireFields(bytes).map(({ number, value }) => [number, numberOf(value)]));
  if (fields.size === 0) return undefined;
  const ms = Number((fields.get(1) ?? 0n) * 1000n + (fields.get(2) ?? 0n) / nanosPerMilli);
  if (Math.abs(ms) > 8.64e15) throw badRequest('the body has a time that no calendar has');
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function bytesOf(value: bigint | Uint8Array | undefined): Uint8Array {
  if (value === undefined) return new Uint8Array();
  if (typeof value === 'bigint') throw badRequest('the body has a number where a message should be');
  return value;
}

function numberOf(value: bigint | Uint8Array): bigint {
  if (typeof value !== 'bigint') throw badRequest('the body has a message where a number should be');
  return value;
}

function textOf(value: bigint | Uint8Array): string {
  return text.decode(bytesOf(value));
}
