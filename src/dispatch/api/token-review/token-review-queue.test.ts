import { beforeEach, expect, it } from 'vitest';
import { TokenReviewQueue } from './token-review-queue.ts';

/** A machine may be slow. */
const patience = { timeout: 60_000 } as const;

/** Reviews that are answered when the test says so. */
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

it('strangers are judged so many at a time, the rest in the order they came', async () => {
  const first = reviews.reviewToken('a');
  const second = reviews.reviewToken('b');
  expect(reviews.asked).toEqual(['a']);
  reviews.answers.get('a')?.(undefined);
  await first;
  await expect.poll(() => reviews.asked, patience).toEqual(['a', 'b']);
  reviews.answers.get('b')?.('good');
  expect(await second).toBe('good');
});

it('when the line is long, strangers are told to come again', async () => {
  void reviews.reviewToken('a');
  void reviews.reviewToken('b');
  await expect(reviews.reviewToken('c')).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'TooManyTokenReviews',
  });
});

it('a token that was good before does not wait for strangers', async () => {
  await reviews.answered('known', 'good');
  void reviews.reviewToken('a');
  void reviews.reviewToken('b');
  void reviews.reviewToken('known');
  expect(reviews.asked).toEqual(['known', 'a', 'known']);
});

it('one that is not good any more is a stranger again', async () => {
  await reviews.answered('known', 'good');
  await reviews.answered('known', undefined);
  void reviews.reviewToken('a');
  void reviews.reviewToken('known');
  expect(reviews.asked).toEqual(['known', 'known', 'a']);
});

it('of those that are known, the one that was judged longest ago is forgotten first', async () => {
  for (const key of ['one', 'two', 'one', 'three']) await reviews.answered(key, 'good');
  void reviews.reviewToken('a');
  void reviews.reviewToken('one');
  void reviews.reviewToken('two');
  expect(reviews.asked.slice(4)).toEqual(['a', 'one']);
});

it('a review that fails gives its place to the next', async () => {
  await expect(
    reviews.line.reviewToken('a', async () => {
      throw new Error('no answer');
    }),
  ).rejects.toThrow('no answer');
  void reviews.reviewToken('b');
  expect(reviews.asked).toEqual(['b']);
});
