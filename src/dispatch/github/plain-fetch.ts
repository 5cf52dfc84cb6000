/**
 * The `fetch` of the official client library: a deadline, a limit on the size of an answer, and no redirects, which
 * could take the credentials to another host. Every answer is passed on as plain text, so that this code parses it
 * without losing digits.
 */
import type { Clock } from '../../platform/clock.ts';
import { LostReply } from './reply.ts';

export interface FetchOptions {
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly bytesMax: number;
}

export function plainFetch(options: FetchOptions): typeof fetch {
  return async (asked, more) => {
    const ends = new AbortController();
    const cancel = options.clock.after(options.deadlineMs, () => ends.abort());
    try {
      const response = await fetch(asked, { ...more, signal: ends.signal, redirect: 'manual' });
      const text = await readText(response, options.bytesMax);
      const { status } = response;
      const headers = new Headers(response.headers);
      headers.set('content-type', 'text/plain');
      return new Response(hasNoBody(status) ? null : text, { status, headers });
    } catch (error) {
      throw explained(error, ends.signal, options.deadlineMs);
    } finally {
      cancel();
    }
  };
}

function hasNoBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

async function readText(response: Response, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > bytesMax) throw new LostReply('unreadable', `the answer is larger than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** Codes of requests that were never sent. */
const unsent =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS.*|CERT_.*|DEPTH_ZERO.*|SELF_SIGNED.*|UNABLE_TO.*)$/;

/** Keeps only the code of an error: the rest may quote the request. */
function explained(error: unknown, signal: AbortSignal, deadlineMs: number): LostReply {
  if (error instanceof LostReply) return error;
  if (signal.aborted) return new LostReply('unknown', `no answer within ${deadlineMs} ms`);
  const code = codeOf(error);
  const why = code === '' ? 'the connection broke' : `the connection broke (${code})`;
  return new LostReply(unsent.test(code) ? 'unsent' : 'unknown', why);
}

/** `fetch` throws a bare TypeError with the real error as its cause. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}
