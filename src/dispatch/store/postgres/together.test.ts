import { describe, expect, it } from 'vitest';
import { FleetError } from '../../../errors/fleet-error.ts';
import { Together } from './together.ts';

interface Question {
  readonly items: readonly string[];
  readonly answer: () => void;
  readonly fail: (error: Error) => void;
}

/** Questions that are answered when the test says so, each item with its own name in capitals. */
class Stand {
  readonly questions: Question[] = [];
  readonly together = new Together<string, string>({
    atOnceMax: 2,
    itemsMax: 3,
    ask: async (items) =>
      new Promise((resolve, reject) => {
        const answer = (): void => resolve(items.map((item) => item.toUpperCase()));
        this.questions.push({ items, answer, fail: reject });
      }),
  });

  /** What became of each. */
  async askAll(...items: readonly string[]): Promise<readonly string[]> {
    const asked = items.map(async (item) => this.together.ask(item));
    return (await Promise.allSettled(asked)).map((end) =>
      end.status === 'fulfilled' ? end.value : messageOf(end.reason),
    );
  }

  /** The two that go alone. Those who came meanwhile go together then. */
  async answerFirst(): Promise<void> {
    for (const { answer } of this.questions.slice(0, 2)) answer();
    await settled();
  }

  /** Until nobody is asked any more. */
  async answerAll(from = 0): Promise<void> {
    for (let index = from; index < this.questions.length; index += 1) {
      this.questions[index]?.answer();
      await settled();
    }
  }

  get asked(): readonly string[] {
    return this.questions.map(({ items }) => items.join(''));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'not an error';
}

async function settled(): Promise<void> {
  await new Promise<void>((resolve) => void setImmediate(resolve));
}

const unavailable = new FleetError('unavailable', { reason: 'Test', message: 'no database' });

describe('who asks the same in one moment', () => {
  it('is asked for at once while little is under way', async () => {
    const stand = new Stand();
    const answers = stand.askAll('a', 'b');
    expect(stand.asked).toEqual(['a', 'b']);
    await stand.answerAll();
    expect(await answers).toEqual(['A', 'B']);
  });

  it('waits for company while enough is under way, in the order of coming and with a limit', async () => {
    const stand = new Stand();
    const answers = stand.askAll('a', 'b', 'c', 'd', 'e', 'f', 'g');
    expect(stand.asked).toEqual(['a', 'b']);
    await stand.answerAll();
    expect(stand.asked).toEqual(['a', 'b', 'cde', 'fg']);
    expect(await answers).toEqual(['A', 'B', 'C', 'D', 'E', 'F', 'G']);
  });

  it('never gets the answer to a question that began before', async () => {
    const stand = new Stand();
    const first = stand.askAll('a', 'a');
    const second = stand.askAll('a');
    await stand.answerAll();
    expect([await first, await second, stand.asked]).toEqual([['A', 'A'], ['A'], ['a', 'a', 'a']]);
  });

  it('is not held up by a question that takes long', async () => {
    const stand = new Stand();
    const answers = stand.askAll('a', 'b', 'c', 'd');
    await stand.answerAll(1);
    expect(stand.asked).toEqual(['a', 'b', 'cd']);
    stand.questions[0]?.answer();
    expect(await answers).toEqual(['A', 'B', 'C', 'D']);
  });

  it('is asked for alone when the question failed for all, so that only whoever is the cause fails', async () => {
    const stand = new Stand();
    const answers = stand.askAll('a', 'b', 'c', 'd', 'e');
    await stand.answerFirst();
    const crowd = stand.questions.at(-1);
    expect(crowd?.items).toEqual(['c', 'd', 'e']);
    crowd?.fail(new Error('one of them is not good'));
    await settled();
    const [c, d, e] = stand.questions.slice(-3);
    expect([c?.items, d?.items, e?.items]).toEqual([['c'], ['d'], ['e']]);
    c?.answer();
    d?.fail(new Error('this one is not good'));
    e?.answer();
    expect(await answers).toEqual(['A', 'B', 'C', 'this one is not good', 'E']);
  });

  it('is told at once when nobody can be answered, and the next ones are asked for', async () => {
    const stand = new Stand();
    const answers = stand.askAll('a', 'b', 'c', 'd');
    await stand.answerFirst();
    stand.questions.at(-1)?.fail(unavailable);
    expect(await answers).toEqual(['A', 'B', 'no database', 'no database']);
    const next = stand.askAll('z');
    await stand.answerAll(3);
    expect([await next, stand.asked]).toEqual([['Z'], ['a', 'b', 'cd', 'z']]);
  });
});
