/** One request over HTTP and its answer, or what is made of them when something is to go wrong. */
import type { ServerResponse } from 'node:http';
import type { ApiRequest } from '../../provider/scaleway/api-request.ts';
import type { Reply } from '../../provider/scaleway/reply.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Cloud } from './cloud.ts';
import type { HttpFault, HttpFaults } from './http-faults.ts';

export interface ExchangePorts {
  readonly cloud: Cloud;
  readonly clock: Clock;
  readonly faults: HttpFaults;
}

interface Exchange {
  readonly response: ServerResponse;
  /** Does what was asked for. */
  readonly handle: () => Reply;
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
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}));
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

export function exchange(ports: ExchangePorts, asked: ApiRequest, response: ServerResponse): void {
  const handle = (): Reply => ports.cloud.handle(asked);
  const fault = ports.faults.next(asked.what);
  if (fault === undefined) send(response, handle());
  else suffer({ response, handle, clock: ports.clock }, fault);
}

function suffer<Kind extends HttpFault['kind']>(
  one: Exchange,
  fault: Extract<HttpFault, { kind: Kind }>,
): void {
  const go: Going[Kind] = going[fault.kind];
  go(one, fault);
}

export function send(response: ServerResponse, { status, body, contentType, retryAfter }: Reply): void {
  const isText = typeof body === 'string';
  response.writeHead(status, {
    // Exactly so: the client library takes no charset behind it.
    ...(body !== undefined && {
      'content-type': contentType ?? (isText ? 'text/plain' : 'application/json'),
    }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  });
  response.end(body === undefined || isText ? body : JSON.stringify(body));
}
