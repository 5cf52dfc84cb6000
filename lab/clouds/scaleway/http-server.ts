/**
 * The simulated cloud over HTTP, for the official client library and any other client of Scaleway's API. Its clock sets
 * the speed of time; otherwise it equals the cloud of a simulated world.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ZodError } from 'zod';
import type { ApiOperation, ApiRequest } from '../../../src/hosts/provider/scaleway/api-request.ts';
import type { Reply } from '../../../src/hosts/provider/scaleway/reply.ts';
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
import type { Cloud } from './cloud.ts';
import { control, type ControlPorts } from './http-control.ts';
import { requestOf } from './http-routes.ts';
import { failed, invalidArgument, unauthenticated } from './wire-bodies.ts';

export interface HttpFaceOptions extends ListenOptions {
  readonly cloud: Cloud;
  /** The time of the cloud, and the timers of faults. */
  readonly clock: Clock & ControlPorts['clock'];
  /** The required value of `X-Auth-Token`. */
  readonly secretKey: string;
  readonly onFailure: (error: unknown) => void;
  /** The token of the control endpoint; without a token the endpoint refuses every request. */
  readonly controlToken?: Secret;
}

export interface HttpFace extends Listening {
  readonly faults: HttpFaults<ApiOperation>;
}

export async function serveCloud(options: HttpFaceOptions): Promise<HttpFace> {
  const faults = new HttpFaults<ApiOperation>();
  const listening = await listen(options, (message, response) =>
    respond({ ...options, faults }, message, response),
  );
  return { ...listening, faults };
}

type Face = HttpFaceOptions & { readonly faults: HttpFaults<ApiOperation> };

async function respond(face: Face, message: IncomingMessage, response: ServerResponse): Promise<void> {
  const say = (reply: Reply): void => send(response, answerOf(reply));
  try {
    const isControl = pathOf(message).startsWith('/control/');
    const refused = isControl ? refuseControl(message, face.controlToken) : undefined;
    if (refused !== undefined) return say({ status: refused.status, body: { message: refused.message } });
    const request = await requestIn(message, () => invalidArgument('body', 'is no JSON'));
    if ('status' in request) return say(request);
    if (isControl) return say(control(request, face));
    if (message.headers['x-auth-token'] !== face.secretKey) return say(unauthenticated);
    const asked = readRequest(request);
    if (asked === undefined) return say(nowhere);
    if ('status' in asked) return say(asked);
    const handle = (): Answer => answerOf(face.cloud.handle(asked));
    exchange({ response, handle, clock: face.clock }, face.faults.next(asked.what));
  } catch (error) {
    face.onFailure(error);
    say(failed);
  }
}

/** An invalid body is answered like any invalid argument. */
function readRequest(request: HttpRequest): ApiRequest | Reply | undefined {
  try {
    return requestOf(request);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    return invalidArgument(error.issues[0]?.path.join('.') ?? 'body', 'is not as it should be');
  }
}

const nowhere: Reply = { status: 404, contentType: 'text/plain', body: '404 page not found' };

function answerOf({ status, body, contentType, retryAfter }: Reply): Answer {
  const isText = typeof body === 'string';
  const headers = {
    // Exactly this value: the client library accepts no charset behind it.
    ...(body !== undefined && {
      'content-type': contentType ?? (isText ? 'text/plain' : 'application/json'),
    }),
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
  };
  if (body === undefined) return { status, headers };
  return { status, headers, text: isText ? body : JSON.stringify(body) };
}
