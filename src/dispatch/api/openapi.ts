/** The HTTP API of dispatch as an OpenAPI document, from the routes and schemas that the server uses. */
import { z } from 'zod';
import { runnerAudience } from './token-review/runner-identities.ts';
import { probeRoutes } from './probe-routes.ts';
import { dispatchRoutes, type Proof, type Route, type RouteAnswer } from './routes.ts';

/** Version of the document; it changes when a path or a field does. */
const version = '1';

const proofs: Readonly<Record<Proof, object>> = {
  webhookSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Hub-Signature-256',
    description: 'sha256= and the HMAC of the body, byte for byte, under a secret of --webhook-secret-file.',
  },
  runnerToken: {
    type: 'http',
    scheme: 'bearer',
    description: `The token of the ServiceAccount of a runner Pod, for the audience ${runnerAudience} and bound to that Pod.`,
  },
  serviceAccountToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a ServiceAccount of the cluster, for the API server itself.',
  },
};

export function openapiDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Muster dispatch',
      version,
      description: 'Webhooks of GitHub, polls of runner Pods, and requests of the manager.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [serverAt('http://127.0.0.1:8090', '--listen')],
    paths: {
      ...pathsOf(dispatchRoutes, {}),
      ...pathsOf(probeRoutes, { servers: [serverAt('http://127.0.0.1:8080', '--probe-listen')] }),
    },
    components: { securitySchemes: proofs },
  };
}

function serverAt(url: string, flag: string): object {
  return { url, description: `The address of ${flag}; this is its default.` };
}

/** No path has two methods. */
function pathsOf(routes: Readonly<Record<string, Route>>, more: object): object {
  return Object.fromEntries(
    Object.entries(routes).map(([name, route]) => [
      route.path,
      { ...more, [route.method.toLowerCase()]: { operationId: name, ...operationOf(route) } },
    ]),
  );
}

function operationOf({ summary, proof, parameters, body, answers }: Route): object {
  return {
    summary,
    security: proof === undefined ? [] : [{ [proof]: [] }],
    ...(parameters !== undefined && {
      parameters: parameters.map(({ in: place, name, means, schema }) => ({
        in: place,
        name,
        required: true,
        description: means,
        schema: schemaOf(schema, 'input'),
      })),
    }),
    ...(body !== undefined && { requestBody: { required: true, ...contentOf(body, 'input') } }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)]),
    ),
  };
}

function responseOf({ means, body, contentType }: RouteAnswer): object {
  return { description: means, ...(body !== undefined && contentOf(body, 'output', contentType)) };
}

type Direction = 'input' | 'output';

function contentOf(schema: z.ZodType, io: Direction, contentType = 'application/json'): object {
  return { content: { [contentType]: { schema: schemaOf(schema, io) } } };
}

function schemaOf(schema: z.ZodType, io: Direction): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      // A bound of JavaScript numbers, not of the data: larger ids are read as strings of digits.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return rest;
}
