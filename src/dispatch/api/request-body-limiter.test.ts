/** Reading of bodies over a real socket, which can be slow, cut off or never read. */
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { RequestBodyLimiter } from './request-body-limiter.ts';

/** The test machine may be slow. */
const patience = { timeout: 60_000 } as const;

const bodyMax = 8;
const capacityFor = 12;

/** Answers each body, on command, with its length or with the reason of its refusal. */
class Harness {
  readonly parkedPolls = new RequestBodyLimiter(capacityFor);
  readonly held: (() => void)[] = [];
  isHolding = false;
  /** How many bytes have arrived, and how many requests are done. */
  received = 0;
  closed = 0;
  readonly #server: Server = createServer((incoming, outgoing) => {
    outgoing.once('close', () => this.parkedPolls.unread(incoming));
    outgoing.once('close', () => (this.closed += 1));
    incoming.on('data', ({ length }: Buffer) => (this.received += length));
    void this.#answer(incoming).then((text) => outgoing.end(text));
  });

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  open(headers: Readonly<Record<string, string>> = {}): ClientRequest {
    const address = this.#server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it listens on a port');
    return request({ host: '127.0.0.1', port: address.port, method: 'POST', headers, agent: false });
  }

  async send(body: string): Promise<string> {
    const sent = this.open();
    sent.end(body);
    return answerTo(sent);
  }

  async #answer(incoming: IncomingMessage): Promise<string> {
    try {
      const { length } = await this.parkedPolls.read(incoming, bodyMax);
      if (this.isHolding) await new Promise<void>((resolve) => void this.held.push(resolve));
      return String(length);
    } catch (error) {
      return error instanceof Error ? error.message : 'not an error';
    }
  }
}

async function answerTo(sent: ClientRequest): Promise<string> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

let harness: Harness;
beforeEach(async () => {
  harness = new Harness();
  await harness.listen();
});
afterEach(async () => harness.close());

it('a body is read unchanged', async () => {
  expect(await harness.send('12345678')).toBe('8');
});

it('a body with a too large Content-Length is refused before it arrives', async () => {
  const sent = harness.open({ 'content-length': '9' });
  sent.flushHeaders();
  expect(await answerTo(sent)).toBe('the body is too long');
});

it('a body without Content-Length is refused as soon as it is too long', async () => {
  const sent = harness.open({ 'transfer-encoding': 'chunked' });
  sent.write('123456789');
  expect(await answerTo(sent)).toBe('the body is too long');
});

it('bodies being answered share the limit, and free it when they are answered', async () => {
  harness.isHolding = true;
  const first = harness.send('12345678');
  await expect.poll(() => harness.held.length, patience).toBe(1);
  expect(await harness.send('12345678')).toMatch(/too many request bodies/);
  const small = harness.send('1234');
  await expect.poll(() => harness.held.length, patience).toBe(2);
  harness.isHolding = false;
  for (const release of harness.held) release();
  expect([await first, await small, await harness.send('12345678')]).toEqual(['8', '4', '8']);
});

it('a body whose sender disconnects frees the limit', async () => {
  const gone = await beginning('1234567');
  gone.destroy();
  await expect.poll(() => harness.closed, patience).toBe(1);
  expect(await harness.send('123456')).toBe('6');
});

it('the oldest unfinished body is cut off for a new one, and complete bodies stay', async () => {
  harness.isHolding = true;
  const there = harness.send('1234');
  await expect.poll(() => harness.held.length, patience).toBe(1);
  harness.isHolding = false;
  const [oldest, younger] = [await beginning('123'), await beginning('123')];
  const answers = [answerTo(oldest), answerTo(younger), there];
  expect(await harness.send('12345')).toBe('5');
  younger.end();
  for (const release of harness.held) release();
  expect(await Promise.all(answers)).toEqual([expect.stringMatching(/too many request bodies/), '3', '4']);
});

it('if the oldest body itself exceeds the limit, only that body is cut off, and its bytes are freed', async () => {
  const [oldest, younger] = [await beginning('12345'), await beginning('123456')];
  const answers = [answerTo(oldest), answerTo(younger)];
  oldest.write('67');
  expect(await answers[0]).toMatch(/too many request bodies/);
  younger.end();
  expect(await answers[1]).toBe('6');
  await expect.poll(() => harness.closed, patience).toBe(2);
  harness.isHolding = true;
  const there = harness.send('12345678');
  await expect.poll(() => harness.held.length, patience).toBe(1);
  expect(await harness.send('12345')).toMatch(/too many request bodies/);
  for (const release of harness.held) release();
  expect(await there).toBe('8');
});

/** Sends this part of a body and does not end the body. */
async function beginning(text: string): Promise<ClientRequest> {
  const before = harness.received;
  const sent = harness.open({ 'transfer-encoding': 'chunked' });
  sent.on('error', () => undefined);
  sent.write(text);
  await expect.poll(() => harness.received, patience).toBe(before + text.length);
  return sent;
}
