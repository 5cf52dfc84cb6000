/** What the server does with callers that are slow, long or gone, over a real socket. */
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dispatchServer } from './dispatch-server.ts';

/** A machine may be slow. */
const patience = { timeout: 60_000 } as const;

const pollPath = '/api/internal/runners/dispatch';
const hookPath = '/webhooks/github';

/** Whoever gets past the door is noted. */
class Stand {
  readonly tokens: (string | undefined)[] = [];
  readonly faults: unknown[] = [];
  hasLeft = false;
  readonly server = dispatchServer({
    ingress: { receive: async ({ body }) => ({ status: 401, message: `${body.length} bytes` }) },
    polls: {
      poll: async (token, left) => {
        this.tokens.push(token);
        if (token !== 'waits') return { kind: 'unauthorized' };
        await once(left, 'abort');
        this.hasLeft = true;
        return { kind: 'nothing' };
      },
    },
    manager: { desiredReplicas: async () => ({ status: 401 }), podStopped: async () => ({ status: 401 }) },
    onFault: (error) => void this.faults.push(error),
  });

  /** Sends the headers and then this, and never says that this was all. */
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

async function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const [response]: IncomingMessage[] = await once(sent, 'response');
  sent.destroy();
  return response?.statusCode;
}

let stand: Stand;
beforeEach(async () => {
  stand = new Stand();
  await stand.server.listen({ host: '127.0.0.1', port: 0 });
});
afterEach(async () => {
  stand.server.server.closeAllConnections();
  await stand.server.close();
});

const signed = { 'x-hub-signature-256': `sha256=${'ab'.repeat(32)}` };
const bearer = { authorization: 'Bearer of-somebody' };
const chunked = { 'transfer-encoding': 'chunked' };

it('a poll without a token is refused while its body is still to come', async () => {
  expect(await statusOf(stand.open(pollPath, { 'content-length': '4000' }))).toBe(401);
});

it('a webhook without anything that could be a signature is refused while its body is still to come', async () => {
  const sent = stand.open(hookPath, { 'content-length': '4000000', 'x-hub-signature-256': 'sha256=ab' });
  expect(await statusOf(sent)).toBe(401);
});

it('a poll with a body that nobody needs is cut off', async () => {
  expect(await statusOf(stand.open(pollPath, { ...bearer, ...chunked }, 'x'.repeat(5000)))).toBe(413);
  expect(stand.tokens).toEqual([]);
});

it('long webhooks that are sent all at once find no room, and those that come later do', async () => {
  const long = 'x'.repeat(4 * 1024 * 1024);
  const senders = Array.from({ length: 20 }, () => stand.open(hookPath, { ...signed, ...chunked }, long));
  // Some are cut off in the middle of a word, and cannot read the answer any more.
  const refused = await Promise.any(senders.map(async (sent) => statusOf(sent)));
  expect(refused).toBe(503);
  for (const sent of senders) sent.destroy();
  const later = async (): Promise<number | undefined> => {
    const sent = stand.open(hookPath, { ...signed, 'content-length': String(long.length) }, long);
    return statusOf(sent);
  };
  await expect.poll(later, patience).toBe(401);
  expect(stand.faults).toEqual([]);
});

it('a Pod that goes away while it waits is told of to whoever serves it', async () => {
  const sent = stand.open(pollPath, { authorization: 'Bearer waits', 'content-length': '0' });
  await expect.poll(() => stand.tokens, patience).toEqual(['waits']);
  sent.destroy();
  await expect.poll(() => stand.hasLeft, patience).toBe(true);
});

it('whoever is slow to say what it wants is cut off in time', () => {
  expect(stand.server.server).toMatchObject({ requestTimeout: 30_000, connectionsCheckingInterval: 5000 });
});
