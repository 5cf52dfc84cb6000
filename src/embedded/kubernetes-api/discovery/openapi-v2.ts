/**
 * The older description of the API, OpenAPI v2. kubectl reads it for what it finds in no v3 document, such as the kind
 * `List`, and passes over what it does not find here either; so this one is well formed and describes nothing.
 */
import type { JsonObject } from '../json.ts';

const document = { swagger: '2.0', info: { title: 'Muster', version: 'v1' }, paths: {} } as const;

/** What clients ask for is spelt with an @ that stands in no answer. */
const protobufAcceptHeader = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The numbers of the fields in the message that describes the document. */
const [swagger, info, paths] = [1, 2, 8];
const [title, version] = [1, 2];
const delimited = 2;

export interface OldDescription {
  readonly body: JsonObject;
  readonly contentType?: string;
  readonly bytes?: Uint8Array;
}

export function openApiV2(accept: string): OldDescription {
  if (!accept.includes(protobufAcceptHeader)) return { body: document };
  return { body: document, contentType: protobufType, bytes: asProtobuf() };
}

function asProtobuf(): Uint8Array {
  const about = Buffer.concat([field(title, document.info.title), field(version, document.info.version)]);
  return Buffer.concat([field(swagger, document.swagger), field(info, about), field(paths, '')]);
}

/** Short enough for its length to fit into one byte. */
function field(number: number, value: string | Uint8Array): Uint8Array {
  const content = Buffer.from(value);
  return Buffer.concat([Uint8Array.of((number << 3) | delimited, content.length), content]);
}
