import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { wallClock as clock } from '../../../../lab/harness/wall-clock.ts';
import { BodyBudget, readBody } from './read-body.ts';

function body(...pieces: readonly string[]): Readable {
  return Readable.from(pieces.map((piece) => Buffer.from(piece)));
}

it('returns the bytes of a body', async () => {
  const bytes = await readBody(body('ab', 'cd'), new BodyBudget(4, 4), clock);
  expect(Buffer.from(bytes).toString()).toBe('abcd');
});

it('rejects a body over the limit', async () => {
  await expect(readBody(body('ab', 'cde'), new BodyBudget(4, 100), clock)).rejects.toMatchObject({
    code: 413,
  });
});

it('rejects a body over the total limit, and accepts it when others are done', async () => {
  const budget = new BodyBudget(10, 15);
  const slow = new Readable({ read: () => undefined });
  slow.push(Buffer.alloc(10));
  const reading = readBody(slow, budget, clock);
  await new Promise((resolve) => void setImmediate(resolve));
  await expect(readBody(body('x'.repeat(10)), budget, clock)).rejects.toMatchObject({
    code: 429,
    retryAfterSeconds: 1,
  });
  slow.push(null);
  expect(await reading).toHaveLength(10);
  expect(await readBody(body('x'.repeat(10)), budget, clock)).toHaveLength(10);
});
