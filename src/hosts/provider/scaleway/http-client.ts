/**
 * The HTTP client of the official library: a deadline, a size limit for answers, and no redirects, which would send
 * the credentials elsewhere. A bad answer is thrown as `BadReply` with the headers that the library would drop. Only
 * valid JSON is passed on.
 */
import type { Clock } from '../../../platform/clock.ts';
import { BadReply, LostReply, type Reply } from './reply.ts';

export interface HttpClientOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly bytesMax: number;
  /** Removed from every answer, in case a proxy echoes the request. */
  readonly secret: string;
}

export function httpClient(options: HttpClientOptions): typeof fetch {
  return async (asked, more) => {
    const request = new Request(asked, more);
    const ends = new AbortController();
    const cancel = options.clock.after(options.deadlineMs, () => ends.abort());
    try {
      return await exchange(request, ends.signal, options);
    } catch (error) {
      throw explained(error, ends.signal, options.deadlineMs);
    } finally {
      cancel();
    }
  };
}

async function exchange(
  request: Request,
  signal: AbortSignal,
  options: HttpClientOptions,
): Promise<Response> {
  const response = await fetch(request, { signal, redirect: 'manual' });
  const text = (await readText(response, options.bytesMax)).replaceAll(options.secret, '[redacted]');
  const reply = replyOf(response, text);
  if (response.status >= 300) throw new BadReply(reply);
  if (response.status === 204) return new Response(null, { status: 204 });
  if (typeof reply.body !== 'object' || reply.body === null)
    throw new LostReply({ certainty: 'unreadable', why: 'the answer is not JSON' });
  // The library accepts only this spelling of the header for JSON.
  const headers = new Headers({ 'content-type': 'application/json' });
  const count = response.headers.get('x-total-count');
  if (count !== null) headers.set('x-total-count', count);
  return new Response(text, { status: response.status, headers });
}

async function readText(response: Response, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax)
      throw new LostReply({ certainty: 'unreadable', why: `the answer is larger than ${bytesMax} bytes` });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

function replyOf({ status, headers }: Response, text: string): Reply {
  return {
    status,
    body: parsed(text),
    contentType: headers.get('content-type') ?? undefined,
    retryAfter: headers.get('retry-after') ?? undefined,
    date: headers.get('date') ?? undefined,
  };
}

function parsed(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text);
    return body;
  } catch {
    // The answer may come from a proxy. The classification gets the text.
    return text;
  }
}

/** Error codes of a request that was never sent. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS.*|CERT_.*|DEPTH_ZERO.*|SELF_SIGNED.*|UNABLE_TO.*)$/;

function explained(error: unknown, signal: AbortSignal, deadlineMs: number): unknown {
  if (error instanceof BadReply || error instanceof LostReply) return error;
  if (signal.aborted)
    return new LostReply({ certainty: 'unknown', why: `no answer within ${deadlineMs} ms` }, error);
  const code = codeOf(error);
  const why = code === '' ? 'the connection broke' : `the connection broke (${code})`;
  return new LostReply({ certainty: unsent.test(code) ? 'unsent' : 'unknown', why }, error);
}

/** `fetch` throws a bare TypeError and puts the error into its cause. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
