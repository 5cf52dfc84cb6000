/**
 * An empty OpenAPI v2 document. kubectl reads v2 for kinds without a v3 document, such as `List`, and ignores kinds
 * that are missing here, too.
 */
import type { JsonObject } from '../json.ts';

const document = { swagger: '2.0', info: { title: 'Muster', version: 'v1' }, paths: {} } as const;

/** The media type in Accept headers has an @, unlike the media type of the response. */
const protobufAcceptHeader = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const protobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The field numbers of the document message. */
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
