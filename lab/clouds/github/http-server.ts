/** The simulated GitHub over HTTP, for the official client library and any other client of GitHub's API. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ZodError } from 'zod';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { refuseControl } from '../http/control-guard.ts';
import { exchange, send, type Answer } from '../http/http-exchange.ts';
import { HttpFaults } from '../http/http-faults.ts';
import {
  listen,
  pathOf,
  requestIn,
  type HttpRequest,
  type Listening,
  type ListenOptions,
} from '../http/http-server.ts';
import { answer } from './answers.ts';
import { exactJson } from './exact-json.ts';
import { control } from './http-control.ts';
import { requestOf } from './http-routes.ts';
import type { GitHubSite } from './site.ts';
import { notFound, refusal, type SiteOperation, type SiteReply, type SiteRequest } from './site-request.ts';

export interface GitHubFaceOptions extends ListenOptions {
  readonly site: GitHubSite;
  /** For the timers of faults. */
  readonly clock: Clock;
  readonly onFailure: (error: unknown) => void;
  /** The token of the control endpoint; without a token the endpoint refuses every request. */
  readonly controlToken?: Secret;
}

export interface GitHubFace extends Listening {
  readonly faults: HttpFaults<SiteOperation>;
}

type Face = GitHubFaceOptions & { readonly faults: HttpFaults<SiteOperation> };

export async function serveGitHub(options: GitHubFaceOptions): Promise<GitHubFace> {
  const faults = new HttpFaults<SiteOperation>();
  const listening = await listen(options, (message, response) =>
    respond({ ...options, faults }, message, response),
  );
  return { ...listening, faults };
}

async function respond(face: Face, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const now = face.site.now();
  const say = (reply: SiteReply): void => send(response, answerOf(reply, now));
  try {
    const isControl = pathOf(message).startsWith('/_control/');
    const refused = isControl ? refuseControl(message, face.controlToken) : undefined;
    if (refused !== undefined) return say(refusal(refused.status, refused.message));
    const request = await requestIn(message, () => refusal(400, 'Problems parsing JSON'));
    if ('status' in request) return say(request);
    if (isControl) return say(control(request, face));
    const asked = readRequest(request);
    if (!('what' in asked)) return say(asked);
    const { authorization } = message.headers;
    const handle = (): Answer => answerOf(answer(face.site, asked, authorization), face.site.now());
    exchange({ response, handle, clock: face.clock }, face.faults.next(asked.what));
  } catch (error) {
    face.onFailure(error);
    say(refusal(500, 'Server Error'));
  }
}

/** An invalid body is answered like at GitHub. */
function readRequest(request: HttpRequest): SiteRequest | SiteReply {
  try {
    return requestOf(request) ?? notFound;
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    return refusal(422, 'Invalid request.');
  }
}

function answerOf({ status, body, headers = {} }: SiteReply, now: number): Answer {
  const common = { date: new Date(now).toUTCString(), ...headers };
  if (body === undefined) return { status, headers: common };
  const type = { 'content-type': 'application/json; charset=utf-8' };
  return { status, text: exactJson(body), headers: { ...common, ...type } };
}
