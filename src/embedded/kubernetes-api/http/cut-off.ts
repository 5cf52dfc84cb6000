/**
 * Aborts an answer so that the client sees a broken connection. On HTTP/2 only the stream is reset: destroying the
 * answer there would look like a regular end.
 */
import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Writable } from 'node:stream';

export function cutOff(response: Writable & { readonly stream?: ServerHttp2Stream | undefined }): void {
  if (response.stream === undefined) response.destroy();
  else response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
}
