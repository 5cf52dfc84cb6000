/** Decodes a Kubernetes protobuf body to JSON: an envelope with the kind, and the message. */
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status-error.ts';
import { messageNamed, messageOfKind, type Field, type Message } from './messages.ts';
import { bytesOf, isEmptyScalar, scalarOf, textOf } from './scalars.ts';
import { wireFields, type WireValue } from './wire.ts';

export const protobufType = 'application/vnd.kubernetes.protobuf';

const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0);

export function decodeProtobuf(bytes: Uint8Array): JsonObject {
  if (magic.some((byte, index) => bytes[index] !== byte))
    throw badRequest('the body does not begin like a Kubernetes protobuf message');
  const envelope = fieldsByNumber(bytes.subarray(magic.length));
  const type = fieldsByNumber(bytesOf(envelope.get(1)));
  const [apiVersion, kind] = [textOf(type.get(1)), textOf(type.get(2))];
  // DeleteOptions have the apiVersion of the deleted kind.
  const known = messageOfKind(kind === 'DeleteOptions' ? 'v1' : apiVersion, kind);
  if (known === undefined) {
    const said = `${apiVersion} ${kind}`.slice(0, 200);
    throw new StatusError(
      'UnsupportedMediaType',
      `${said} is not accepted in protobuf here; send it as application/json (kubectl apply -f does)`,
    );
  }
  return { apiVersion, kind, ...new Decoder().object(known, bytesOf(envelope.get(2))) };
}

function fieldsByNumber(bytes: Uint8Array): ReadonlyMap<number, WireValue> {
  return new Map(wireFields(bytes).map(({ number, value }) => [number, value]));
}

/** Deeper than all served kinds; protects the stack. */
const depthMax = 100;

/** Union messages, which JSON shows as one value. */
const unions: ReadonlyMap<string, (object: JsonObject) => Json | undefined> = new Map([
  ['apiextensions.JSONSchemaPropsOrBool', ({ schema, allows }) => schema ?? allows ?? false],
  ['apiextensions.JSONSchemaPropsOrArray', ({ schema, jSONSchemas }) => schema ?? jSONSchemas ?? []],
  ['apiextensions.JSONSchemaPropsOrStringArray', ({ schema, property }) => schema ?? property ?? []],
]);

/** Caches the lookup of messages for one body. */
class Decoder {
  readonly #messages = new Map<string, Message>();
  #depth = 0;

  object(name: string, bytes: Uint8Array): JsonObject {
    this.#depth += 1;
    if (this.#depth > depthMax) throw badRequest('the body is nested too deeply');
    const gathered = new Gathered();
    const message = this.#message(name);
    for (const { number, value } of wireFields(bytes)) {
      const field = message.get(number);
      if (field !== undefined) this.#put(gathered, field, value);
    }
    this.#depth -= 1;
    return gathered.object();
  }

  #put(gathered: Gathered, field: Field, value: WireValue): void {
    const { name, shape, type } = field;
    if (shape === 'inline') gathered.takeAll(this.#value(field, value));
    else if (shape === 'map') {
      const entry = fieldsByNumber(bytesOf(value));
      gathered.entry(name, textOf(entry.get(1)), this.#value(field, entry.get(2) ?? new Uint8Array()));
    } else if (shape === 'list') gathered.item(name, this.#value(field, value));
    else if (typeof type === 'object' || field.keepsEmpty || !isEmptyScalar(type, value))
      gathered.take(name, this.#value(field, value));
  }

  #value({ type }: Field, value: WireValue): Json {
    if (typeof type !== 'object') return scalarOf(type, value);
    const object = this.object(type.message, bytesOf(value));
    return unions.get(type.message)?.(object) ?? object;
  }

  #message(name: string): Message {
    const known = this.#messages.get(name) ?? messageNamed(name);
    this.#messages.set(name, known);
    return known;
  }
}

/** Collects the fields of one message: each item of a list or map is a separate field. */
class Gathered {
  readonly #values = new Map<string, Json>();
  readonly #lists = new Map<string, Json[]>();
  readonly #maps = new Map<string, Map<string, Json>>();

  take(name: string, value: Json): void {
    this.#values.set(name, value);
  }

  takeAll(inner: Json): void {
    if (isJsonObject(inner)) for (const [name, value] of Object.entries(inner)) this.take(name, value);
  }

  item(name: string, value: Json): void {
    const list = this.#lists.get(name) ?? [];
    list.push(value);
    this.#lists.set(name, list);
  }

  entry(name: string, key: string, value: Json): void {
    this.#maps.set(name, (this.#maps.get(name) ?? new Map<string, Json>()).set(key, value));
  }

  object(): JsonObject {
    const maps = [...this.#maps].map(([name, map]) => [name, Object.fromEntries(map)] as const);
    return Object.fromEntries<Json>([...this.#values, ...this.#lists, ...maps]);
  }
}
