/** How bodies are read, over a real socket: only there is one slow, cut off or never asked for. */
import { once } from 'node:events';
import { createServer, request, type ClientRequest, type IncomingMessage, type Server } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BodyRoom } from './body-room.ts';

/** A machine may be slow. */
const patience = { timeout: 60_000 } as const;

const bodyMax = 8;
const roomFor = 12;

/** Answers each body with its length, or with why it was refused, once it is told to. */
class Stand {
  readonly room = new BodyRoom(roomFor);
  readonly held: (() => void)[] = [];
  isHolding = false;
  readonly #server: Server = createServer((incoming, outgoing) => {
    outgoing.once('close', () => this.room.leave(incoming));
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
      const { length } = await this.room.read(incoming, bodyMax);
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

let stand: Stand;
beforeEach(async () => {
  stand = new Stand();
  await stand.listen();
});
afterEach(async () => stand.close());

it('a body is read as it came', async () => {
  expect(await stand.send('12345678')).toBe('8');
});

it('one that says that it is too long is refused before it comes', async () => {
  const sent = stand.open({ 'content-length': '9' });
  sent.flushHeaders();
  expect(await answerTo(sent)).toBe('the body is too long');
});

it('one that does not say so is refused as soon as it is', async () => {
  const sent = stand.open({ 'transfer-encoding': 'chunked' });
  sent.write('123456789');
  expect(await answerTo(sent)).toBe('the body is too long');
});

it('those that are answered together have to fit in the room, and leave it when they are answered', async () => {
  stand.isHolding = true;
  const first = stand.send('12345678');
  await expect.poll(() => stand.held.length, patience).toBe(1);
  expect(await stand.send('12345678')).toMatch(/no room/);
  const small = stand.send('1234');
  await expect.poll(() => stand.held.length, patience).toBe(2);
  stand.isHolding = false;
  for (const release of stand.held) release();
  expect([await first, await small, await stand.send('12345678')]).toEqual(['8', '4', '8']);
});

it('one whose sender goes away leaves the room as well', async () => {
  const sent = stand.open({ 'content-length': '8' });
  sent.on('error', () => undefined);
  sent.write('1234567');
  await expect.poll(async () => stand.send('123456'), patience).toMatch(/no room/);
  sent.destroy();
  await expect.poll(async () => stand.send('123456'), patience).toBe('6');
});
