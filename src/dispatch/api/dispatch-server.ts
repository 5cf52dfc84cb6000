/** The HTTP server of dispatch: webhooks from outside; polls of runner Pods and requests of the manager from inside. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isFleetError } from '../../platform/errors/fleet-error.ts';
import type { z } from 'zod';
import type { PollHandler } from './poll-handler.ts';
import type { WebhookReceiver } from '../webhooks/receiver.ts';
import { couldBeSignature } from '../webhooks/signature.ts';
import type * as answers from './answers.ts';
import type { ApiResponse, ManagerApi } from './manager-api.ts';
import { openapiDocument } from './openapi.ts';
import { RequestBodyLimiter, bodyLimitReached } from './request-body-limiter.ts';
import { dispatchRoutes, type Proof, type Route, type RouteName } from './routes.ts';

export interface DispatchServerPorts {
  readonly ingress: Pick<WebhookReceiver, 'receive'>;
  readonly polls: Pick<PollHandler, 'poll'>;
  readonly manager: Pick<ManagerApi, 'desiredReplicas' | 'podStopped'>;
  /** Called for each webhook that was not accepted, except those that the webhook receiver refuses itself. */
  readonly webhookRejected: (miss: WebhookRejection, error: unknown) => void;
  /** Called for unexpected errors; the client gets only a 500. */
  readonly onFault: (error: unknown, doing: string) => void;
}

/**
 * Why a webhook was not accepted: the memory for bodies is used up, the body is too long or ended early, a dependency
 * does not answer, or an unexpected error.
 */
export type WebhookRejection = 'no_room' | 'too_long' | 'cut_off' | 'unavailable' | 'failed';

export interface DispatchServerLimits {
  /** How long a request may take to arrive. */
  readonly requestMaxMs: number;
  /** How much later a slow request may be detected. */
  readonly slowCheckMs: number;
  /** Bytes of all webhook bodies being read or answered; GitHub's own traffic is far below. */
  readonly webhooksMax: number;
  /** The same for Pods and the manager, kept apart so that senders of webhooks cannot block them. */
  readonly insideMax: number;
}

export const dispatchServerLimits: DispatchServerLimits = {
  requestMaxMs: 30_000,
  slowCheckMs: 5000,
  webhooksMax: 64 * 1024 * 1024,
  insideMax: 16 * 1024 * 1024,
};

/** Ties each sent body to the schema in the OpenAPI document. */
type Body<S extends z.ZodType> = z.infer<S>;

/** Limit for paths without a body; Fastify wants a positive number. */
const noBody = 1;
const unauthorized: Body<typeof answers.unauthorized> = {
  error: 'unauthorized',
  message: 'the token is not that of a runner Pod of this cluster',
};

export function dispatchServer(
  ports: DispatchServerPorts,
  { requestMaxMs, slowCheckMs, webhooksMax, insideMax }: DispatchServerLimits = dispatchServerLimits,
): FastifyInstance {
  const server = Fastify({
    requestTimeout: requestMaxMs,
    // Node waits for a body for as long as for the headers if that limit is longer.
    http: { connectionsCheckingInterval: slowCheckMs, headersTimeout: requestMaxMs },
    // Pods poll again over the same connection.
    keepAliveTimeout: 60_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
  });
  // Keep bodies as raw bytes: the signature of a webhook covers the bytes, and the body of a poll is ignored.
  server.removeAllContentTypeParsers();
  const [forWebhooks, inside] = [new RequestBodyLimiter(webhooksMax), new RequestBodyLimiter(insideMax)];
  const capacityOf = (request: FastifyRequest): RequestBodyLimiter =>
    isWebhook(request) ? forWebhooks : inside;
  server.addContentTypeParser('*', async (request: FastifyRequest) =>
    capacityOf(request).read(request.raw, request.routeOptions.bodyLimit),
  );
  server.setErrorHandler(async (error, request, reply) => failed(ports, { error, request, reply }));
  server.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not_found' }));
  for (const { route, handler } of Object.values(servedBy(ports))) {
    const { method, path: url, bodyMax: bodyLimit = noBody, proof }: Route = route;
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
      reply.raw.once('close', () => capacityOf(request).unread(request.raw));
      // Without a plausible credential, answer before the body is read.
      if (!showsProof(proof, request)) return handler(request, reply);
    };
    server.route({ method, url, handler, bodyLimit, onRequest });
  }
  return server;
}

interface Served {
  readonly route: Route;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
}

/** Each route of the table with its handler. */
function servedBy(ports: DispatchServerPorts): Readonly<Record<RouteName, Served>> {
  const { manager } = ports;
  const document = openapiDocument();
  return {
    receiveWebhook: {
      route: dispatchRoutes.receiveWebhook,
      handler: async (request, reply) => receive(ports, request, reply),
    },
    poll: { route: dispatchRoutes.poll, handler: async (request, reply) => poll(ports, request, reply) },
    desiredReplicas: {
      route: dispatchRoutes.desiredReplicas,
      handler: async (request, reply) =>
        sendAnswer(reply, await manager.desiredReplicas(tokenIn(request), fleetIn(request))),
    },
    podStopped: {
      route: dispatchRoutes.podStopped,
      handler: async (request, reply) =>
        sendAnswer(reply, await manager.podStopped(tokenIn(request), bodyOf(request))),
    },
    openapi: { route: dispatchRoutes.openapi, handler: async (_request, reply) => reply.send(document) },
  };
}

async function receive(
  { ingress }: DispatchServerPorts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { status, message } = await ingress.receive({
    signature: single(request, 'x-hub-signature-256'),
    guid: single(request, 'x-github-delivery'),
    event: single(request, 'x-github-event'),
    body: bodyOf(request),
  });
  return reply.code(status).send({ message } satisfies Body<typeof answers.message>);
}

async function poll(
  { polls }: DispatchServerPorts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return send(reply, await polls.poll(tokenIn(request), leftSignal(reply)));
}

function send(reply: FastifyReply, answer: Awaited<ReturnType<PollHandler['poll']>>): FastifyReply {
  switch (answer.kind) {
    case 'served':
      return reply.code(200).send({
        encoded_jit_config: answer.jitConfig.reveal(),
        owner: answer.owner,
        workflow_job_id: answer.jobId,
      } satisfies Body<typeof answers.registration>);
    case 'nothing':
      return reply.code(204).send();
    case 'drain':
      return reply
        .code(410)
        .send({ error: 'drain', reason: answer.reason } satisfies Body<typeof answers.drain>);
    case 'gone':
    case 'unauthorized':
      return reply.code(401).send(unauthorized);
  }
}

function showsProof(proof: Proof | undefined, request: FastifyRequest): boolean {
  switch (proof) {
    case undefined:
      return true;
    case 'webhookSignature':
      return couldBeSignature(single(request, 'x-hub-signature-256'));
    case 'runnerToken':
    case 'serviceAccountToken':
      return tokenIn(request) !== undefined;
  }
}

function sendAnswer(reply: FastifyReply, { status, body }: ApiResponse): FastifyReply {
  return reply.code(status).send(body);
}

function tokenIn(request: FastifyRequest): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(single(request, 'authorization') ?? '')?.[1];
}

function fleetIn({ query }: FastifyRequest): unknown {
  return typeof query === 'object' && query !== null && 'fleet' in query ? query.fleet : undefined;
}

function bodyOf({ body }: FastifyRequest): Uint8Array {
  return body instanceof Uint8Array ? body : new Uint8Array();
}

/** Aborted when the client disconnects, so that no registration goes to a closed connection. */
function leftSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  return left.signal;
}

interface Failed {
  readonly error: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

function failed(
  { onFault, webhookRejected }: DispatchServerPorts,
  { error, request, reply }: Failed,
): FastifyReply {
  if (isWebhook(request)) webhookRejected(rejectionOf(error), error);
  if (isFleetError(error)) return reply.code(503).send(sorry(error.reason));
  const status = statusIn(error);
  if (status !== undefined)
    return reply.code(status).send({ error: 'bad_request' } satisfies Body<typeof answers.badRequest>);
  onFault(error, `${request.method} ${request.routeOptions.url ?? ''}`);
  return reply.code(500).send({ error: 'internal' } satisfies Body<typeof answers.internal>);
}

function isWebhook({ routeOptions }: FastifyRequest): boolean {
  return routeOptions.url === dispatchRoutes.receiveWebhook.path;
}

function rejectionOf(error: unknown): WebhookRejection {
  if (isFleetError(error)) return error.reason === bodyLimitReached ? 'no_room' : 'unavailable';
  const status = statusIn(error);
  if (status === undefined) return 'failed';
  return status === 413 ? 'too_long' : 'cut_off';
}

function sorry(reason: string): Body<typeof answers.unavailable> {
  return { error: 'unavailable', reason };
}

/**
 * The status of a request that Fastify or the body limiter
 * refuses, such as a body that is too long or an invalid header.
 */
function statusIn(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

/** A repeated header counts as absent: a proxy may have checked one value, and dispatch must not use the other. */
function single(request: FastifyRequest, name: string): string | undefined {
  const values = request.raw.rawHeaders.filter(
    (_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name,
  );
  return values.length === 1 ? values[0] : undefined;
}
