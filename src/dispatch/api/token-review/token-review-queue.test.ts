import { beforeEach, expect, it } from 'vitest';
import { TokenReviewQueue } from './token-review-queue.ts';

/** The test machine may be slow. */
const patience = { timeout: 60_000 } as const;

/** Reviews that are answered on command of the test. */
class Reviews {
  readonly line = new TokenReviewQueue({ atOnce: 1, waitingMax: 1, knownMax: 2 });
  readonly asked: string[] = [];
  readonly answers = new Map<string, (answer: string | undefined) => void>();

  reviewToken(key: string): Promise<string | undefined> {
    return this.line.reviewToken(key, () => {
      this.asked.push(key);
      return new Promise((resolve) => void this.answers.set(key, resolve));
    });
  }

  async answered(key: string, answer: string | undefined): Promise<void> {
    const evaluated = this.reviewToken(key);
    this.answers.get(key)?.(answer);
    await evaluated;
  }
}

let reviews: Reviews;
beforeEach(() => {
  reviews = new Reviews();
});

it('unknown tokens are reviewed with limited concurrency, the rest in order of arrival', async () => {
  const first = reviews.reviewToken('a');
  const second = reviews.reviewToken('b');
  expect(reviews.asked).toEqual(['a']);
  reviews.answers.get('a')?.(undefined);
  await first;
  await expect.poll(() => reviews.asked, patience).toEqual(['a', 'b']);
  reviews.answers.get('b')?.('good');
  expect(await second).toBe('good');
});

it('when the queue is full, unknown tokens are refused for now', async () => {
  void reviews.reviewToken('a');
  void reviews.reviewToken('b');
  await expect(reviews.reviewToken('c')).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'TooManyTokenReviews',
  });
});

it('a token that was valid before does not wait for unknown tokens', async () => {
  await reviews.answered('known', 'good');
  void reviews.reviewToken('a');
  void reviews.reviewToken('b');
  void reviews.reviewToken('known');
  expect(reviews.asked).toEqual(['known', 'a', 'known']);
});

it('a token that is no longer valid is unknown again', async () => {
  await reviews.answered('known', 'good');
  await reviews.answered('known', undefined);
  void reviews.reviewToken('a');
  void reviews.reviewToken('known');
  expect(reviews.asked).toEqual(['known', 'known', 'a']);
});

it('the least recently reviewed token is forgotten first', async () => {
  for (const key of ['one', 'two', 'one', 'three']) await reviews.answered(key, 'good');
  void reviews.reviewToken('a');
  void reviews.reviewToken('one');
  void reviews.reviewToken('two');
  expect(reviews.asked.slice(4)).toEqual(['a', 'one']);
});

it('a failed review frees its slot', async () => {
  await expect(
    reviews.line.reviewToken('a', async () => {
      throw new Error('no answer');
    }),
  ).rejects.toThrow('no answer');
  void reviews.reviewToken('b');
  expect(reviews.asked).toEqual(['b']);
});
