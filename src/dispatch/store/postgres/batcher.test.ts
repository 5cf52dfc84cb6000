import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../../lab/harness/test-clock.ts';
import { Batcher } from './batcher.ts';

interface Question {
  readonly about: string;
  readonly answer: () => void;
  readonly fail: () => void;
}

/** Questions that are answered when the test says so: `a` with `A` where it went alone, and with `A+` where it had company. */
class Harness {
  readonly clock = new TestClock(0);
  readonly questions: Question[] = [];
  /** Who must go alone, by the answer of others. */
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

  /** What became of each. */
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

describe('who asks the same in one moment', () => {
  it('is asked for at once and alone while little is under way', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b');
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.answer('a', 'b');
    expect(await answers).toEqual(['A', 'B']);
  });

  it('waits while enough is under way, and then goes with the others', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd', 'e');
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.answer('b');
    expect(harness.asked).toEqual(['a', 'b', 'c d e']);
    await harness.answer('a', 'c d e');
    expect(await answers).toEqual(['A', 'B', 'C+', 'D+', 'E+']);
    expect(harness.clock.nextAt()).toBeUndefined();
  });

  it('never gets the answer to a question that began before', async () => {
    const harness = new Harness();
    const first = harness.askAll('a', 'a');
    const second = harness.askAll('a');
    await harness.answer('a');
    await harness.answer('a');
    expect([await first, await second, harness.asked]).toEqual([['A', 'A'], ['A'], ['a', 'a', 'a']]);
  });

  it('goes with 64 at the most, those first who have waited longest', async () => {
    const harness = new Harness();
    const all = names(100);
    const answers = harness.askAll('a', 'b', ...all);
    await harness.answer('a');
    await harness.answer('b');
    expect(harness.asked.slice(2)).toEqual([all.slice(0, 64).join(' '), all.slice(64).join(' ')]);
    await harness.answer(...harness.asked);
    expect((await answers).slice(2)).toEqual(all.map((name) => `${name.toUpperCase()}+`));
  });

  it('counts as under way while it is, so that no third question begins', async () => {
    const harness = new Harness();
    void harness.askAll('a', 'b', 'c', 'd');
    await harness.answer('a');
    void harness.askAll('e');
    expect(harness.asked).toEqual(['a', 'b', 'c d']);
    await harness.answer('c d');
    expect(harness.asked).toEqual(['a', 'b', 'c d', 'e']);
  });

  it('goes alone when it has waited for 200 ms, however long the others take', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd');
    await harness.clock.pass(199);
    expect(harness.asked).toEqual(['a', 'b']);
    await harness.clock.pass(1);
    expect(harness.asked).toEqual(['a', 'b', 'c', 'd']);
    await harness.answer('c', 'd', 'a', 'b');
    expect([await answers, harness.asked.length]).toEqual([['A', 'B', 'C', 'D'], 4]);
  });

  it('goes alone at once where a thousand wait', async () => {
    const harness = new Harness();
    void harness.askAll('a', 'b', ...names(1000), 'z');
    expect(harness.asked).toEqual(['a', 'b', 'z']);
  });

  it('goes alone when the question failed for all, so that only whoever is the cause fails', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a', 'b', 'c', 'd', 'e');
    await harness.answer('a', 'b');
    await harness.fail('c d e');
    expect(harness.asked.slice(3)).toEqual(['c', 'd', 'e']);
    await harness.fail('d');
    await harness.answer('c', 'e');
    expect(await answers).toEqual(['A', 'B', 'C', 'no answer about d', 'E']);
  });

  it('goes alone where it does not fit in with the others, and holds up nobody meanwhile', async () => {
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

  it('hears itself what went wrong where it went alone', async () => {
    const harness = new Harness();
    const answers = harness.askAll('a');
    await harness.fail('a');
    const next = harness.askAll('b');
    await harness.answer('b');
    expect([await answers, await next]).toEqual([['no answer about a'], ['B']]);
  });
});
