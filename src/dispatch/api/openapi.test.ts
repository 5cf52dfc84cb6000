/**
 * The OpenAPI document describes the real server: the same paths,
 * and for each promised status a real answer that fits its schema.
 */
import { createHmac } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import { serveProbes } from '../../platform/process/probe-server.ts';
import { Secret } from '../../platform/secret.ts';
import type { PollAnswer } from '../assign/assigner.ts';
import { PollHandler } from './poll-handler.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import { noon } from '../../../lab/contracts/store/harness.ts';
import { WebhookReceiver } from '../webhooks/receiver.ts';
import { dispatchServer } from './dispatch-server.ts';
import { ManagerApi } from './manager-api.ts';
import { openapiDocument } from './openapi.ts';
import { probeRoutes } from './probe-routes.ts';

const secret = 'of the webhook';
const down = new FleetError('unavailable', { reason: 'DatabaseUnavailable', message: 'it is down' });
const fault = new Error('a fault of ours');
const operationSchema = z.object({
  operationId: z.string(),
  responses: z.record(
    z.string(),
    z.object({
      content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).optional(),
    }),
  ),
});
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.object({ get: operationSchema.optional(), post: operationSchema.optional() }),
  ),
});
const document = documentSchema.parse(openapiDocument());
const probePaths = new Set<string>(Object.values(probeRoutes).map(({ path }) => path));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  (['get', 'post'] as const).flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ path, method, ...operation }];
  }),
);

/** Behavior of the parts behind the server; each case changes some of it. */
interface Behind {
  readonly answer?: PollAnswer;
  /** The error of the store or of the dispatcher. */
  readonly broken?: Error;
  readonly arePoolsUnknown?: boolean;
}

function serverWith({ answer = { kind: 'nothing' }, broken, arePoolsUnknown = false }: Behind) {
  const clock = new TestClock(noon);
  const memory = new MemoryStore();
  const orBroken = async <T>(work: () => Promise<T>): Promise<T> => {
    if (broken !== undefined) throw broken;
    return work();
  };
  const store = {
    account: (id: string) => orBroken(async () => memory.account(id)),
    ingest: (...given: Parameters<MemoryStore['ingest']>) => orBroken(async () => memory.ingest(...given)),
    installation: (id: string) => orBroken(async () => memory.installation(id)),
    job: (id: string) => orBroken(async () => memory.job(id)),
    profiles: (accountId: string) => orBroken(async () => memory.profiles(accountId)),
    signals: (pool: string, at: number) => orBroken(async () => memory.signals(pool, at)),
    podStopped: (...given: Parameters<MemoryStore['podStopped']>) =>
      orBroken(async () => memory.podStopped(...given)),
    claims: () => orBroken(async () => memory.claims()),
    openSessions: () => orBroken(async () => memory.openSessions()),
  };
  const manager = { namespace: 'muster-system', name: 'manager' };
  return dispatchServer({
    ingress: new WebhookReceiver({
      store,
      clock,
      secrets: () => [new Secret(secret)],
      pools: () => (arePoolsUnknown ? undefined : []),
      allowedAccounts: ['*'],
      say: () => undefined,
      counted: () => undefined,
    }),
    polls: new PollHandler({
      dispatcher: { poll: async () => orBroken(async () => answer) },
      identities: {
        runner: async (token) =>
          token === 'runner' ? { pool: 'linux', pod: { name: 'a', uid: 'a' } } : undefined,
      },
      waitMs: 1,
      clock,
      counted: () => undefined,
    }),
    manager: new ManagerApi({
      store,
      identities: {
        caller: async (token) =>
          token === 'unknown'
            ? undefined
            : { namespace: 'muster-system', serviceAccount: token, pod: undefined },
      },
      clock,
      manager,
      podEnded: () => undefined,
    }),
    webhookRejected: () => undefined,
    onFault: () => undefined,
  });
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
}

type Case = readonly [operation: string, status: number, asked: Asked, behind?: Behind];

const long = 'x'.repeat(6 * 1024 * 1024);
const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });
const wrongLength = { 'content-length': '7' };

function webhook(event = 'installation', more: Asked = {}): Asked {
  const installed = { action: 'created', installation: { id: 1, account: { id: 7, login: 'org' } } };
  const body = more.body ?? JSON.stringify(installed);
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = {
    'x-hub-signature-256': signature,
    'x-github-delivery': 'guid',
    'x-github-event': event,
    ...more.headers,
  };
  return { headers, body };
}

const report = JSON.stringify({ pod_name: 'linux-1', ended_at: '2026-01-01T00:00:00Z' });
const byManager: Asked = { headers: bearer('manager'), body: report };
const byPod: Asked = { headers: bearer('runner'), body: '{}' };
const aboutPool: Asked = { headers: bearer('manager'), query: '?fleet=linux' };

const cases: readonly Case[] = [
  ['receiveWebhook', 200, webhook()],
  ['receiveWebhook', 400, webhook('installation', { headers: { 'x-github-delivery': ' ' } })],
  ['receiveWebhook', 400, webhook('installation', { headers: wrongLength })],
  ['receiveWebhook', 401, webhook('installation', { headers: { 'x-hub-signature-256': 'sha256=0' } })],
  ['receiveWebhook', 413, webhook('installation', { body: long })],
  ['receiveWebhook', 500, webhook(), { broken: fault }],
  ['receiveWebhook', 503, webhook(), { broken: down }],
  ['receiveWebhook', 503, webhook('workflow_job'), { arePoolsUnknown: true }],
  [
    'poll',
    200,
    byPod,
    { answer: { kind: 'served', jitConfig: new Secret('jit'), owner: 'org', jobId: '9007199254740993' } },
  ],
  ['poll', 204, byPod],
  ['poll', 400, { ...byPod, headers: { ...byPod.headers, ...wrongLength } }],
  ['poll', 401, {}],
  ['poll', 401, byPod, { answer: { kind: 'gone' } }],
  ['poll', 410, byPod, { answer: { kind: 'drain', reason: 'Retired' } }],
  ['poll', 413, { ...byPod, body: long }],
  ['poll', 500, byPod, { broken: fault }],
  ['poll', 503, byPod, { broken: down }],
  ['desiredReplicas', 200, aboutPool],
  ['desiredReplicas', 400, { headers: bearer('manager') }],
  ['desiredReplicas', 401, { query: '?fleet=linux' }],
  ['desiredReplicas', 500, aboutPool, { broken: fault }],
  ['desiredReplicas', 503, aboutPool, { broken: down }],
  ['podStopped', 204, byManager],
  ['podStopped', 400, { ...byManager, body: '{}' }],
  ['podStopped', 400, { ...byManager, headers: { ...byManager.headers, ...wrongLength } }],
  ['podStopped', 401, { body: report }],
  ['podStopped', 403, { ...byManager, headers: bearer('other') }],
  ['podStopped', 413, { ...byManager, body: long }],
  ['podStopped', 500, byManager, { broken: fault }],
  ['podStopped', 503, byManager, { broken: down }],
  ['openapi', 200, {}],
];

/** Checks an answer against the document; returns the errors. */
function doubts(
  operationId: string,
  status: number,
  reported: { contentType: string; text: string },
): string {
  const response = operations.find((one) => one.operationId === operationId)?.responses[String(status)];
  if (response === undefined) return `${status} is not in the document`;
  if (response.content === undefined) return reported.text === '' ? '' : 'there is no body in the document';
  const media = Object.entries(response.content)[0];
  if (media === undefined) return 'the document has no kind of content';
  const [contentType, { schema }] = media;
  if (!reported.contentType.startsWith(contentType)) return `it is ${reported.contentType}`;
  const ajv = new Ajv2020({ strict: false });
  const isJson = contentType === 'application/json';
  const body: unknown = isJson ? JSON.parse(reported.text) : reported.text;
  return ajv.validate(schema, body) ? '' : ajv.errorsText();
}

function documented(which: (path: string) => boolean): readonly string[] {
  return operations
    .filter(({ path }) => which(path))
    .flatMap(({ operationId, responses }) =>
      Object.keys(responses).map((status) => `${operationId} ${status}`),
    )
    .toSorted();
}

describe('the document', () => {
  it('has exactly the routes of the server', async () => {
    const server = serverWith({});
    await server.ready();
    const served = server.printRoutes({ commonPrefix: false }).matchAll(/ (\/\S+) \((\w+)\)/g);
    const own = operations.filter(({ path }) => !probePaths.has(path));
    expect([...served].map(([, path, method]) => `${method} ${path}`).toSorted()).toEqual(
      own.map(({ path, method }) => `${method.toUpperCase()} ${path}`).toSorted(),
    );
  });

  it('is served unchanged', async () => {
    const answer = await serverWith({}).inject({ method: 'GET', url: '/openapi.json' });
    expect(answer.json()).toEqual(openapiDocument());
  });

  it.for(cases)(
    '%s %i: a real answer fits the schema',
    async ([name, status, { headers, query, body }, behind]) => {
      const operation = operations.find(({ operationId }) => operationId === name);
      const answer = await serverWith(behind ?? {}).inject({
        method: operation?.method === 'post' ? 'POST' : 'GET',
        url: `${operation?.path}${query ?? ''}`,
        headers: { 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { payload: body }),
      });
      expect(answer.statusCode).toBe(status);
      const contentType = String(answer.headers['content-type']);
      expect(doubts(name, status, { contentType, text: answer.body })).toBe('');
    },
  );

  it('promises only statuses that these cases cover', () => {
    const seen = cases.map(([name, status]) => `${name} ${status}`);
    expect([...new Set(seen)].toSorted()).toEqual(documented((path) => !probePaths.has(path)));
  });
});

type Health = 'well' | 'ill' | 'broken';

async function probed(path: string, health: Health) {
  const check = (): string | undefined => {
    if (health === 'broken') throw fault;
    return health === 'ill' ? 'it is ill' : undefined;
  };
  const metrics = new PromMetrics();
  const brokenMetrics = { contentType: 'text/plain', text: () => Promise.reject(fault) };
  const server = await serveProbes({
    host: '127.0.0.1',
    port: 0,
    alive: [{ name: 'life', check }],
    ready: [{ name: 'work', check }],
    metrics: health === 'broken' ? brokenMetrics : metrics,
    onFault: () => undefined,
    clock: wallClock,
  });
  const answer = await fetch(`${server.url}${path}`);
  const text = await answer.text();
  await server.close();
  return { status: answer.status, contentType: String(answer.headers.get('content-type')), text };
}

describe('the document, of probes', () => {
  it('has exactly the paths of the probes', async () => {
    const { text } = await probed('/', 'well');
    expect(new Set(text.match(/\/\w+/g))).toEqual(probePaths);
  });

  const all: readonly (readonly [string, number, Health])[] = [
    ['healthz', 200, 'well'],
    ['healthz', 500, 'broken'],
    ['healthz', 503, 'ill'],
    ['readyz', 200, 'well'],
    ['readyz', 500, 'broken'],
    ['readyz', 503, 'ill'],
    ['metrics', 200, 'well'],
    ['metrics', 500, 'broken'],
  ];
  it.for(all)('%s %i: a real answer fits the schema', async ([name, status, health]) => {
    const reported = await probed(`/${name}`, health);
    expect([reported.status, doubts(name, status, reported)]).toEqual([status, '']);
  });

  it('promises only statuses that these cases cover', () => {
    expect(all.map(([name, status]) => `${name} ${status}`).toSorted()).toEqual(
      documented((path) => probePaths.has(path)),
    );
  });
});
