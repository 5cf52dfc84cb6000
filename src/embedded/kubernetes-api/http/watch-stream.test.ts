import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { WatchSink } from '../request.ts';
import { streamWatch } from './watch-stream.ts';

/** A watch with a sink under test control. */
function heldWatch() {
  const held: { sink?: WatchSink; stopped: boolean } = { stopped: false };
  const watch = (sink: WatchSink): (() => void) => {
    held.sink = sink;
    return () => void (held.stopped = true);
  };
  return { held, watch };
}

it('writes one line for each event, and ends when the watch does', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const over = streamWatch({ watch, response, durable: () => Promise.resolve() });
  held.sink?.event({ type: 'ADDED', object: { a: 1 } });
  held.sink?.end();
  await over;
  expect(String(response.read())).toBe('{"type":"ADDED","object":{"a":1}}\n');
  expect(held.stopped).toBe(true);
});

it('stops the watch when the client disconnects', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const over = streamWatch({ watch, response, durable: () => Promise.resolve() });
  response.destroy();
  await over;
  expect(held.stopped).toBe(true);
});

it('disconnects a client that does not read, instead of buffering everything', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const over = streamWatch({ watch, response, durable: () => Promise.resolve() });
  const megabyte = 'x'.repeat(1024 * 1024);
  for (let sent = 0; sent < 100; sent += 1) held.sink?.event({ type: 'ADDED', object: megabyte });
  await over;
  expect([response.destroyed, held.stopped]).toEqual([true, true]);
});

it('sends initial events beyond the later buffer limit, as fast as the client reads', async () => {
  const object = 'x'.repeat(1024 * 1024);
  const response = new PassThrough();
  const watch = (sink: WatchSink): (() => void) => {
    for (let sent = 0; sent < 20; sent += 1) sink.event({ type: 'ADDED', object });
    sink.end();
    return () => undefined;
  };
  const over = streamWatch({ watch, response, durable: () => Promise.resolve() });
  let [bytes, most] = [0, 0];
  for await (const piece of response) {
    bytes += Buffer.from(piece).length;
    most = Math.max(most, response.writableLength);
  }
  await over;
  expect(bytes).toBeGreaterThan(20 * object.length);
  expect(most).toBeLessThan(3 * object.length);
});

it('does not disconnect a reading client, independent of the amount', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const over = streamWatch({ watch, response, durable: () => Promise.resolve() });
  for (let sent = 0; sent < 20; sent += 1) {
    held.sink?.event({ type: 'ADDED', object: 'x'.repeat(1024 * 1024) });
    await new Promise((resolve) => void response.resume().once('drain', resolve));
  }
  held.sink?.end();
  await over;
  expect(response.errored).toBeNull();
});

it('sends a change only when it is durable', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const disk = Promise.withResolvers<void>();
  const over = streamWatch({ watch, response, durable: () => disk.promise });
  held.sink?.event({ type: 'ADDED', object: { a: 1 } });
  held.sink?.end();
  expect(response.read()).toBeNull();
  disk.resolve();
  await over;
  expect(String(response.read())).toBe('{"type":"ADDED","object":{"a":1}}\n');
});

it('fails without sending a change that could not be stored', async () => {
  const { held, watch } = heldWatch();
  const response = new PassThrough();
  const over = streamWatch({ watch, response, durable: () => Promise.reject(new Error('disk full')) });
  held.sink?.event({ type: 'ADDED', object: { a: 1 } });
  await expect(over).rejects.toThrow('disk full');
  expect([response.read(), held.stopped]).toEqual([null, true]);
});
