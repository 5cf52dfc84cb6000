/** One HTTP request and its answer, with an optional fault. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../src/platform/clock.ts';
import type { HttpFault } from './http-faults.ts';

export interface Answer {
  readonly status: number;
  /** The serialized body; absent without a body. */
  readonly text?: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Exchange {
  readonly response: ServerResponse;
  /** Applies the request. */
  readonly handle: () => Answer;
  readonly clock: Clock;
}

type Going = {
  readonly [Kind in HttpFault['kind']]: (
    exchange: Exchange,
    fault: Extract<HttpFault, { kind: Kind }>,
  ) => void;
};

const going: Going = {
  refused: ({ response }) => void response.destroy(),
  error: ({ response }, { status, body, headers }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body ?? {});
    send(response, { status, text, headers: { 'content-type': 'application/json', ...headers } });
  },
  'reply-lost': ({ response, handle }) => {
    handle();
    response.destroy();
  },
  late: ({ response, handle, clock }, { ms }) => void clock.after(ms, () => send(response, handle())),
  'slow-reply': ({ response, handle, clock }, { ms }) => {
    const reply = handle();
    clock.after(ms, () => send(response, reply));
  },
  duplicate: ({ response, handle, clock }, { ms }) => {
    send(response, handle());
    clock.after(ms, () => void handle());
  },
};

export function exchange(one: Exchange, fault: HttpFault | undefined): void {
  if (fault === undefined) send(one.response, one.handle());
  else suffer(one, fault);
}

function suffer<Kind extends HttpFault['kind']>(
  one: Exchange,
  fault: Extract<HttpFault, { kind: Kind }>,
): void {
  const go: Going[Kind] = going[fault.kind];
  go(one, fault);
}

export function send(response: ServerResponse, { status, text, headers }: Answer): void {
  response.writeHead(status, headers);
  response.end(text);
}
