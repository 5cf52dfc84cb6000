import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { reservePorts } from './ports.ts';

/** Gives these candidates in sequence. */
function drawing(...ports: readonly number[]): () => number {
  const left = [...ports];
  return () => left.shift() ?? 0;
}

it('a port that another run has reserved is skipped, although no process listens on it yet', async () => {
  const first = await reservePorts(1);
  const [held = 0] = first.numbers;
  const second = await reservePorts(1, drawing(held, held + 1, held + 2));
  expect(second.numbers).not.toContain(held);
  await Promise.all([first.release(), second.release()]);
});

it('a port in use is skipped, and not kept reserved', async () => {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const taken = typeof address === 'object' && address !== null ? address.port : 0;
  const free = await reservePorts(1);
  const [other = 0] = free.numbers;
  await free.release();
  const drawn = await reservePorts(1, drawing(taken, other));
  expect(drawn.numbers).toEqual([other]);
  await drawn.release();
  await new Promise((resolve) => listener.close(resolve));
  const after = await reservePorts(1, drawing(taken));
  expect(after.numbers).toEqual([taken]);
  await after.release();
});

it('fails without a free port', async () => {
  const holder = await reservePorts(1);
  const [held = 0] = holder.numbers;
  await expect(reservePorts(1, () => held)).rejects.toThrow('no 1 free ports');
  await holder.release();
});
