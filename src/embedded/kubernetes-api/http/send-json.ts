/**
 * A body of JSON on its way out, in pieces: a list of ten thousand objects is never one text. It takes no memory for
 * that text, the client has its first bytes sooner, and others are served while a slow client reads.
 */
import type { Writable } from 'node:stream';
import { isJsonList, type Json, type JsonObject } from '../json.ts';

/** Few enough characters to be cheap to hold, enough for each write to be worth its frame. */
const pieceLength = 64 * 1024;

/** Resolves when the body is handed over, or when the client has gone and will not take the rest. */
export async function sendJson(response: Writable, body: JsonObject): Promise<void> {
  // HTTP/2 answers do not say whether they are destroyed.
  const client = { hasGone: false };
  response.once('close', () => (client.hasGone = true));
  let last = '';
  for (const piece of jsonPieces(body)) {
    if (last !== '' && !response.write(last)) await untilWritable(response);
    if (client.hasGone) return;
    last = piece;
  }
  // A body of one piece is ended with it, so that its length can stand before it.
  response.end(last);
}

/** Resolves when more can be written, or when nobody will read it. */
export function untilWritable(response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

/** Together they are what JSON.stringify gives. */
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
