/** Sends a request to a kubelet and streams its answer; stops reading when the client disconnects. */
import type { Http2ServerResponse } from 'node:http2';
import { request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { Relay } from '../request.ts';
import { StatusError, type Reason } from '../status-error.ts';

const textMax = 2000;
const beginsWithinMs = 30_000;

export async function relay(to: Relay, response: Http2ServerResponse, clock: Clock): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  // A followed log may be silent for hours, so only its start has a deadline.
  const cancel = clock.after(beginsWithinMs, () => gone.abort());
  const answer = await ask(to, gone.signal).finally(cancel);
  if (answer.statusCode !== 200) throw await refusal(answer);
  response.writeHead(200, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
  // Either side may disconnect: the pipeline closes the other, and no reader is left for an error.
  await Promise.allSettled([pipeline(answer, response)]);
}

function ask({ host, port, path, query }: Relay, signal: AbortSignal): Promise<IncomingMessage> {
  const search = new URLSearchParams(query).toString();
  const options: RequestOptions = {
    host,
    port,
    path: search === '' ? path : `${path}?${search}`,
    signal,
    // A kubelet has a self-signed certificate, as by default towards the real server.
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const asking = request(options, resolve);
    asking.on('error', (error) =>
      reject(
        new StatusError('InternalError', `the kubelet at ${host}:${port} does not answer: ${error.message}`),
      ),
    );
    asking.end();
  });
}

const reasons: ReadonlyMap<number | undefined, Reason> = new Map<number, Reason>([
  [400, 'BadRequest'],
  [403, 'Forbidden'],
  [404, 'NotFound'],
]);

async function refusal(answer: IncomingMessage): Promise<StatusError> {
  let said = '';
  for await (const piece of answer) {
    said += String(piece);
    if (said.length > textMax) break;
  }
  answer.destroy();
  return new StatusError(reasons.get(answer.statusCode) ?? 'InternalError', said.trim().slice(0, textMax));
}
