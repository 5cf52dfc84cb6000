import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { Batcher } from './batcher.ts';

interface Question {
  readonly about: string;
  readonly answer: () => void;
  readonly fail: () => void;
}

/** Requests that are answered on command: `a` with `A` on its own, and with `A+` in a batch. */
class Harness {
  readonly clock = new TestClock(0);
  readonly questions: Question[] = [];
  /** Requests that must be sent on their own, as the batch answers. */
  readonly odd = new Set<string>();
  readonly #together = new Batcher<string, string>({
    alone: async (item) => this.#question(item, item.toUpperCase()),
    together: async (items) =>
      this.#question(
        items.join(' '),
        items.map((item) => (this.odd.has(item) ? undefined : `${item.toUpperCase()}+`)),
      ),
    clock: this.clock,
  });

  async #question<T>(about: string, answer: T): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new Error(`no answer about ${about}`));
      this.questions.push({ about, answer: () => resolve(answer), fail });
    });
  }

  /** The outcome of each request. */
  async askAll(...items: readonly string[]): Promise<readonly string[]> {
    const asked = items.map(async (item) => this.#together.ask(item));
    return (await Promise.allSettled(asked)).map((end) =>
      end.status === 'fulfilled' ? end.value : messageOf(end.reason),
    );
  }

  get asked(): readonly string[] {
    return this.questions.map(({ about }) => about);
  }

  async answer(...abouts: readonly string[]): Promise<void> {
    for (const { about, answer } of this.questions) if (abouts.includes(about)) answer();
    await this.clock.settle();
  }

  async fail(about: string): Promise<void> {
    this.questions.find((question) => question.about === about)?.fail();
    await this.clock.settle();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'not an error';
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `n${index}`);

describe('a request', () => {
  it('is sent at once on its own while little is under way', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b');
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.answer('a', 'b');
    expect(await answers).toEqual(['A', 'B']);
  });

  it('waits while enough is under way, and then is sent with the others', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd', 'e');
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.answer('b');
    expect(harness.asked).toEqual(['a', 'b', 'c d e']);
    await harness.answer('a', 'c d e');
    expect(await answers).toEqual(['A', 'B', 'C+', 'D+', 'E+']);
    expect(harness.clock.nextAt()).toBeUndefined();
  });

  it('never gets the answer of a batch that began before', async () => {
    const harness = new Harness();
    const first = harness.askAll('a', 'a');
    const second = harness.askAll('a');
    await harness.answer('a');
    await harness.answer('a');
    expect([await first, await second, harness.asked]).toEqual([['A', 'A'], ['A'], ['a', 'a', 'a']]);
  });

  it('is sent in a batch of at most 64, longest waiting first', async () => {
    const harness = new Harness();
    const all = names(100);
    const answers = harness.askAll('a', 'b', ...all);
    await harness.answer('a');
    await harness.answer('b');
    expect(harness.asked.slice(2)).toEqual([all.slice(0, 64).join(' '), all.slice(64).join(' ')]);
    await harness.answer(...harness.asked);
    expect((await answers).slice(2)).toEqual(all.map((name) => `${name.toUpperCase()}+`));
  });

  it('in a batch counts as under way, so that no third batch begins', async () => {
    const harness = new Harness();
    void harness.askAll('a', 'b', 'c', 'd');
    await harness.answer('a');
    void harness.askAll('e');
    expect(harness.asked).toEqual(['a', 'b', 'c d']);
    await harness.answer('c d');
    expect(harness.asked).toEqual(['a', 'b', 'c d', 'e']);
  });

  it('is sent on its own after 200 ms, however long the others take', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd');
    await harness.clock.pass(199);
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.clock.pass(1);
    expect(harness.asked).toEqual(['a', 'b', 'c', 'd']);
    await harness.answer('c', 'd', 'a', 'b');
    expect([await answers, harness.asked.length]).toEqual([['A', 'B', 'C', 'D'], 4]);
  });

  it('is sent on its own at once if a thousand wait', async () => {
    const harness = new Harness();
    void harness.askAll('a', 'b', ...names(1000), 'z');
    expect(harness.asked).toEqual(['a', 'b', 'z']);
  });

  it('is sent on its own when the batch failed, so that only the faulty request fails', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd', 'e');
    await harness.answer('a', 'b');
    await harness.fail('c d e');
    expect(harness.asked.slice(3)).toEqual(['c', 'd', 'e']);
    await harness.fail('d');
    await harness.answer('c', 'e');
    expect(await answers).toEqual(['A', 'B', 'C', 'no answer about d', 'E']);
  });

  it('is sent on its own if it does not fit the batch, and does not delay the others', async () => {
    const harness = new Harness();
    harness.odd.add('d');
    const answers = harness.askAll('a', 'b', 'c', 'd');
    await harness.answer('a');
    await harness.answer('c d');
    const next = harness.askAll('e');
    expect(harness.asked).toEqual(['a', 'b', 'c d', 'd', 'e']);
    await harness.answer('d', 'e', 'b');
    expect([await answers, await next]).toEqual([['A', 'B', 'C+', 'D'], ['E']]);
  });

  it('gets its own error if sent on its own', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a');
    await harness.fail('a');
    const next = harness.askAll('b');
    await harness.answer('b');
    expect([await answers, await next]).toEqual([['no answer about a'], ['B']]);
  });
});
