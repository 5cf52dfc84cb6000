/** The HTTP face of dispatch: webhooks from outside, polls of runner Pods and the manager from inside. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isFleetError } from '../../errors/fleet-error.ts';
import type { z } from 'zod';
import type { PollDesk } from '../serve/poll-desk.ts';
import type { Ingress } from '../webhooks/ingress.ts';
import { couldBeSignature } from '../webhooks/signature.ts';
import type * as answers from './answers.ts';
import type { DeskAnswer, ManagerDesk } from './manager-desk.ts';
import { openapiDocument } from './openapi.ts';
import { BodyRoom } from './body-room.ts';
import { dispatchRoutes, type Proof, type Route, type RouteName } from './routes.ts';

export interface DispatchServerPorts {
  readonly ingress: Pick<Ingress, 'receive'>;
  readonly polls: Pick<PollDesk, 'poll'>;
  readonly manager: Pick<ManagerDesk, 'desiredReplicas' | 'podStopped'>;
  /** Told of what should not happen; the caller hears only that it did. */
  readonly onFault: (error: unknown, doing: string) => void;
}

/** What is sent is what the document says: the types of both come from one schema. */
type Body<S extends z.ZodType> = z.infer<S>;

const requestMaxMs = 30_000;
/** How much later than that a slow one may be noticed. */
const slowCheckMs = 5000;
/** Of paths that take none; the server wants a number. */
const noBody = 1;
/** Of all bodies that are being read and answered; GitHub's are far from filling it. */
const bodiesMax = 64 * 1024 * 1024;
const unauthorized: Body<typeof answers.unauthorized> = {
  error: 'unauthorized',
  message: 'the token is not that of a runner Pod of this cluster',
};

export function dispatchServer(ports: DispatchServerPorts): FastifyInstance {
  const server = Fastify({
    requestTimeout: requestMaxMs,
    http: { connectionsCheckingInterval: slowCheckMs },
    // Whoever polls goes on polling over the same connection.
    keepAliveTimeout: 60_000,
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
  });
  // Bodies are kept as the bytes that came: the signature of a webhook is over them, and a poll has none that matters.
  server.removeAllContentTypeParsers();
  const room = new BodyRoom(bodiesMax);
  server.addContentTypeParser('*', async ({ raw, routeOptions }: FastifyRequest) =>
    room.read(raw, routeOptions.bodyLimit),
  );
  server.setErrorHandler(async (error, request, reply) => failed(ports, { error, request, reply }));
  server.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not_found' }));
  for (const { route, handler } of Object.values(servedBy(ports))) {
    const { method, path: url, bodyMax: bodyLimit = noBody, proof }: Route = route;
    const onRequest = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> => {
      reply.raw.once('close', () => room.leave(request.raw));
      // Who shows nothing that could be good is answered without a look at its body, however long that is.
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

/** Each route of the table, with who answers it. */
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
        tell(reply, await manager.desiredReplicas(tokenIn(request), fleetIn(request))),
    },
    podStopped: {
      route: dispatchRoutes.podStopped,
      handler: async (request, reply) =>
        tell(reply, await manager.podStopped(tokenIn(request), bodyOf(request))),
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

function send(reply: FastifyReply, answer: Awaited<ReturnType<PollDesk['poll']>>): FastifyReply {
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

function tell(reply: FastifyReply, { status, body }: DeskAnswer): FastifyReply {
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

/** Aborted when whoever asks has gone, so that nothing is handed to a closed connection. */
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

function failed({ onFault }: DispatchServerPorts, { error, request, reply }: Failed): FastifyReply {
  if (isFleetError(error)) return reply.code(503).send(sorry(error.reason));
  const status = statusIn(error);
  if (status !== undefined)
    return reply.code(status).send({ error: 'bad_request' } satisfies Body<typeof answers.badRequest>);
  onFault(error, `${request.method} ${request.routeOptions.url ?? ''}`);
  return reply.code(500).send({ error: 'internal' } satisfies Body<typeof answers.internal>);
}

function sorry(reason: string): Body<typeof answers.unavailable> {
  return { error: 'unavailable', reason };
}

/** What the server itself refuses: a body that is too long, a header that is none. */
function statusIn(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

/** A header that came twice is none: whoever checked one must not be answered for the other. */
function single(request: FastifyRequest, name: string): string | undefined {
  const values = request.raw.rawHeaders.filter(
    (_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name,
  );
  return values.length === 1 ? values[0] : undefined;
}
