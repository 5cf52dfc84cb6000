/**
 * Sends a JSON body in pieces: a list of ten thousand objects is never one string. This saves memory, sends the first
 * bytes sooner, and serves other requests while a slow client reads.
 */
import type { Writable } from 'node:stream';
import { isJsonList, type Json, type JsonObject } from '../json.ts';

/** Small enough to hold, large enough for the overhead of a write. */
const pieceLength = 64 * 1024;

/** Resolves when the body is written, or when the client has disconnected. */
export async function sendJson(response: Writable, body: JsonObject): Promise<void> {
  // HTTP/2 responses have no `destroyed` flag.
  const client = { hasGone: false };
  response.once('close', () => (client.hasGone = true));
  let last = '';
  for (const piece of jsonPieces(body)) {
    if (last !== '' && !response.write(last)) await untilWritable(response);
    if (client.hasGone) return;
    last = piece;
  }
  // A body of one piece is sent with `end`, so that Node sets Content-Length.
  response.end(last);
}

/** Resolves when more can be written, or when the client has disconnected. */
export function untilWritable(response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** The pieces of JSON.stringify. */
export function* jsonPieces(body: JsonObject): Generator<string> {
  let piece = '';
  for (const fragment of fragments(body)) {
    piece += fragment;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function* fragments(body: JsonObject): Generator<string> {
  let separator = '';
  yield '{';
  for (const [key, value] of Object.entries(body)) {
    yield `${separator}${JSON.stringify(key)}:`;
    if (isJsonList(value)) yield* fragmentsOfList(value);
    else yield JSON.stringify(value);
    separator = ',';
  }
  yield '}';
}

function* fragmentsOfList(list: readonly Json[]): Generator<string> {
  let separator = '';
  yield '[';
  for (const item of list) {
    yield `${separator}${JSON.stringify(item)}`;
    separator = ',';
  }
  yield ']';
}
