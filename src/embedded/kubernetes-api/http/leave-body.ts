/** What happens to a body that is not read: it may not keep its connection busy after the answer. */
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { Clock } from '../../../platform/clock.ts';
import { bodyWithinMs } from './read-body.ts';

/** Long enough for the client to read the answer. */
export const lingerMs = 1000;

/** Once the answer is given, the rest of the body is not waited for. */
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

/** Throws the body away as it comes, while the answer is under way. */
export function discardBody(request: Http2ServerRequest, clock: Clock): void {
  request.resume();
  if (!isComplete(request)) destroyUnlessEnded(request, clock, bodyWithinMs);
}

function destroyUnlessEnded(request: Http2ServerRequest, clock: Clock, withinMs: number): void {
  const cancel = clock.after(withinMs, () => {
    if (request.httpVersionMajor >= 2) request.stream.close(constants.NGHTTP2_CANCEL);
    else request.socket.destroy();
  });
  // A request counts as closed with its answer, whatever of its body is still to come.
  const carrier = request.httpVersionMajor >= 2 ? request.stream : request.socket;
  const done = (): void => {
    cancel();
    carrier.off('close', done);
  };
  request.once('end', done);
  carrier.once('close', done);
}
