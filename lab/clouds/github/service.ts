/**
 * The simulated GitHub as a service of a simulated world: each request is done at one instant, and can be lost, late or
 * doubled.
 */
import type { Reply } from '../../../src/dispatch/github/reply.ts';
import type { Asked as GitHubAsked } from '../../../src/dispatch/github/transport.ts';
import type { Arrival, Asked, Service } from '../../simulator/engine/call.ts';
import type { ServiceFault } from '../../simulator/faults/effect-fault.ts';
import { answerTo, type Caller } from './answers.ts';
import { asRead } from './parsed-body.ts';
import { requestOf } from './http-routes.ts';
import type { GitHubSite } from './site.ts';
import { notFound, refusal, type SiteReply, type SiteRequest } from './site-request.ts';

export interface GitHubCall {
  readonly caller: Caller;
  readonly asked: GitHubAsked;
}

type ErrorReason = Extract<ServiceFault, { kind: 'error' }>['reason'];

/** Errors in place of the answer. */
const errors: Readonly<Record<ErrorReason, SiteReply>> = {
  InternalError: refusal(500, 'Server Error'),
  ServiceUnavailable: refusal(503, 'Service Unavailable'),
  TooManyRequests: { ...refusal(429, 'Too many requests'), headers: { 'retry-after': '20' } },
  Conflict: refusal(409, 'Already exists'),
  Timeout: refusal(504, 'Gateway Timeout'),
  Forbidden: refusal(403, 'Resource not accessible by integration'),
};

export class GitHubService implements Service<GitHubCall, Reply> {
  readonly name = 'github';
  readonly latencyMs = { least: 30, most: 2000 };
  /** Every registration of a runner fails with a server error. */
  failsToRegister = false;
  readonly #site: GitHubSite;
  readonly #did: (kind: ServiceFault['kind']) => void;
  readonly #answered: () => void;

  /** `did` is called for each fault of its own that took effect, `answered` after each request. */
  constructor(
    site: GitHubSite,
    did: (kind: ServiceFault['kind']) => void = () => undefined,
    answered: () => void = () => undefined,
  ) {
    this.#site = site;
    this.#did = did;
    this.#answered = answered;
  }

  ask({ asked }: GitHubCall): Asked {
    const request = requestIn(asked);
    const operation = request?.what ?? 'unknown';
    const about = (request !== undefined && 'name' in request ? request.name : undefined) ?? '';
    const isWrite = !asked.route.startsWith('GET ');
    return { operation, about, isWrite, kinds: ['error'], link: this.name };
  }

  apply({ caller, asked }: GitHubCall, { faults }: Pick<Arrival, 'faults'>): Reply {
    const error = faults.find((fault) => fault.kind === 'error');
    if (error !== undefined) {
      this.#did(error.kind);
      return replyOf(errors[error.reason]);
    }
    const request = requestIn(asked);
    if (this.failsToRegister && request?.what === 'register runner') return replyOf(errors.InternalError);
    const reply = replyOf(request === undefined ? notFound : answerTo(this.#site, request, caller));
    this.#answered();
    return reply;
  }

  outcome({ status }: Reply): string {
    return String(status);
  }
}

/** Like from the wire: parameters outside the path are the query or the body. */
function requestIn({ route, parameters }: GitHubAsked): SiteRequest | undefined {
  const [method = '', template = ''] = route.split(' ');
  const rest = new Map(Object.entries(parameters));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams(
    [...rest].map(([name, value]): [string, string] => [name, String(value)]),
  );
  return requestOf({ method, path, query, body: Object.fromEntries(rest) });
}

function replyOf({ status, body, headers = {} }: SiteReply): Reply {
  return { status, headers, body: body === undefined ? undefined : asRead(body) };
}
