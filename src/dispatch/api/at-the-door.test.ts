/** How the server treats clients that are slow, send too much or disconnect, over a real socket. */
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import type { PollHandler } from './poll-handler.ts';
import type { Reply } from '../webhooks/receiver.ts';
import {
  dispatchServer,
  dispatchServerLimits,
  type DispatchServerLimits,
  type DispatchServerPorts,
} from './dispatch-server.ts';

type PollAnswer = Awaited<ReturnType<PollHandler['poll']>>;

/** The test machine may be slow. */
const patience = { timeout: 60_000 } as const;

const pollPath = '/api/internal/runners/dispatch';
const hookPath = '/webhooks/github';

/** Records requests that reach a handler. */
class Harness {
  readonly tokens: (string | undefined)[] = [];
  readonly missed: string[] = [];
  readonly faults: unknown[] = [];
  hasLeft = false;
  readonly server: ReturnType<typeof dispatchServer>;

  constructor(limits: Partial<DispatchServerLimits> = {}) {
    const ports: DispatchServerPorts = {
      ingress: { receive: async ({ body, event }) => receive(body.length, event) },
      polls: { poll: async (token, left) => this.#poll(token, left) },
      manager: {
        desiredReplicas: async () => ({ status: 401 }),
        podStopped: async () => ({ status: 401 }),
      },
      webhookRejected: (why) => void this.missed.push(why),
      onFault: (error) => void this.faults.push(error),
    };
    this.server = dispatchServer(ports, { ...dispatchServerLimits, ...limits });
  }

  async #poll(token: string | undefined, left: AbortSignal): Promise<PollAnswer> {
    this.tokens.push(token);
    if (token !== 'waits') return { kind: 'unauthorized' };
    await once(left, 'abort');
    this.hasLeft = true;
    return { kind: 'nothing' };
  }

  /** Sends the headers and this part of a body, and never ends the body. */
  open(path: string, headers: Readonly<Record<string, string>>, begin = ''): ClientRequest {
    const [address] = this.server.addresses();
    const port = typeof address === 'object' ? address.port : 0;
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false });
    sent.on('error', () => undefined);
    if (begin === '') sent.flushHeaders();
    else sent.write(begin);
    return sent;
  }
}

function receive(bytes: number, event: string | undefined): Reply {
  if (event === 'unlucky')
    throw new FleetError('unavailable', { reason: 'DatabaseUnavailable', message: 'no database' });
  if (event === 'faulty') throw new Error('a fault');
  return { status: 401, message: `${bytes} bytes` };
}

async function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(sent, 'response');
  sent.destroy();
  return response?.statusCode;
}

let harness: Harness;
const open: Harness[] = [];

async function harnessWith(limits: Partial<DispatchServerLimits>): Promise<Harness> {
  const one = new Harness(limits);
  await one.server.listen({ host: '127.0.0.1', port: 0 });
  open.push(one);
  return one;
}

beforeEach(async () => {
  harness = await harnessWith({});
});
afterEach(async () => {
  for (const { server } of open.splice(0)) {
    server.server.closeAllConnections();
    await server.close();
  }
});

const signed = { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` };
const bearer = { authorization: 'Bearer other' };
const chunked = { 'transfer-encoding': 'chunked' };

it('a poll without a token is refused before its body arrives', async () => {
  expect(await statusOf(harness.open(pollPath, { 'content-length': '4000' }))).toBe(401);
});

it('a webhook without a plausible signature is refused before its body arrives', async () => {
  const sent = harness.open(hookPath, { 'content-length': '4000000', 'x-hub-signature-256': 'sha256=ab' });
  expect(await statusOf(sent)).toBe(401);
});

it('a poll with a long body is cut off', async () => {
  expect(await statusOf(harness.open(pollPath, { ...bearer, ...chunked }, 'x'.repeat(5000)))).toBe(413);
  expect(harness.tokens).toEqual([]);
});

it('long webhooks sent all at once are refused, and later ones are accepted', async () => {
  const long = 'x'.repeat(4 * 1024 * 1024);
  const senders = Array.from({ length: 20 }, () => harness.open(hookPath, { ...signed, ...chunked }, long));
  // Some are cut off in the middle of the body and cannot read the answer.
  const refused = await Promise.any(senders.map(async (sent) => statusOf(sent)));
  expect(refused).toBe(503);
  for (const sent of senders) sent.destroy();
  const later = async (): Promise<number | undefined> => {
    const sent = harness.open(hookPath, { ...signed, 'content-length': String(long.length) }, long);
    return statusOf(sent);
  };
  await expect.poll(later, patience).toBe(401);
  expect(harness.faults).toEqual([]);
  expect(new Set(harness.missed)).toEqual(new Set(['no_room', 'cut_off']));
});

it('the handler learns of a Pod that disconnects while it waits', async () => {
  const sent = harness.open(pollPath, { authorization: 'Bearer waits', 'content-length': '0' });
  await expect.poll(() => harness.tokens, patience).toEqual(['waits']);
  sent.destroy();
  await expect.poll(() => harness.hasLeft, patience).toBe(true);
});

it.for([
  ['a webhook', hookPath, signed],
  ['a poll', pollPath, bearer],
] as const)('a client that begins %s and stalls is cut off in time', async ([, path, headers]) => {
  const hasty = await harnessWith({ requestMaxMs: 200, slowCheckMs: 20 });
  expect(await statusOf(hasty.open(path, { ...headers, 'content-length': '10' }, 'half'))).toBe(408);
});

it('a client that does not finish its headers is cut off in time', async () => {
  const hasty = await harnessWith({ requestMaxMs: 200, slowCheckMs: 20 });
  const [address] = hasty.server.addresses();
  const socket = connect(typeof address === 'object' ? address.port : 0, '127.0.0.1');
  socket.write(`POST ${hookPath} HTTP/1.1\r\nHost: a\r\nX-`);
  const [said]: Buffer[] = await once(socket, 'data');
  expect(String(said)).toMatch(/^HTTP\/1\.1 408 /);
  socket.destroy();
});

it('a client that uses up the memory for webhooks keeps no Pod from polling', async () => {
  const small = await harnessWith({ webhooksMax: 4 });
  expect(await statusOf(small.open(hookPath, { ...signed, ...chunked }, '12345'))).toBe(503);
  expect(await statusOf(small.open(pollPath, { ...bearer, 'content-length': '5' }, '12345'))).toBe(401);
});

it.for([
  [503, 'unavailable', 'unlucky', 'x'],
  [500, 'failed', 'faulty', 'x'],
  [413, 'too_long', 'any', 'x'.repeat(6_000_000)],
] as const)('a webhook that is answered %d is counted as %s', async ([status, why, event, body]) => {
  const headers = { ...signed, 'x-github-event': event, 'content-length': String(body.length) };
  expect(await statusOf(harness.open(hookPath, headers, body))).toBe(status);
  expect(harness.missed).toEqual([why]);
});

it('a webhook that ends too early is counted, and a bad poll is not', async () => {
  const sent = harness.open(hookPath, { ...signed, 'content-length': '10' }, 'half');
  await expect.poll(() => sent.writableLength, patience).toBe(0);
  sent.destroy();
  await expect.poll(() => harness.missed, patience).toEqual(['cut_off']);
  expect(await statusOf(harness.open(pollPath, { ...bearer, ...chunked }, 'x'.repeat(5000)))).toBe(413);
  expect(harness.missed).toEqual(['cut_off']);
});
