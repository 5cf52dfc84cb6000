/** Discards an unread body, so that it does not keep its connection busy after the answer. */
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Clock } from '../../../platform/clock.ts';
import { bodyWithinMs } from './read-body.ts';

/** Long enough for the client to read the answer. */
export const lingerMs = 1000;

/** Does not wait for the rest of the body after the answer. */
export function discardAfterAnswer(
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  clock: Clock,
): void {
  response.once('finish', () => {
    if (!isComplete(request)) destroyUnlessEnded(request.resume(), clock, lingerMs);
  });
}

function isComplete(request: Http2ServerRequest): boolean {
  if (request.httpVersionMajor < 2) return request.complete;
  return request.stream.endAfterHeaders || request.stream.readableEnded;
}

/** Discards the body as it arrives, while the answer is sent. */
export function discardBody(request: Http2ServerRequest, clock: Clock): void {
  request.resume();
  if (!isComplete(request)) destroyUnlessEnded(request, clock, bodyWithinMs);
}

function destroyUnlessEnded(request: Http2ServerRequest, clock: Clock, withinMs: number): void {
  const cancel = clock.after(withinMs, () => {
    if (request.httpVersionMajor >= 2) request.stream.close(constants.NGHTTP2_CANCEL);
    else request.socket.destroy();
  });
  // Node closes a request with its answer, even when body data is missing.
  const carrier = request.httpVersionMajor >= 2 ? request.stream : request.socket;
  const done = (): void => {
    cancel();
    carrier.off('close', done);
  };
  request.once('end', done);
  carrier.once('close', done);
}
