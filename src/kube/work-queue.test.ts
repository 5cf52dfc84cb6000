import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TestClock } from '../../lab/harness/test-clock.ts';
import { KeyedQueue, type Outcome, type QueueOptions } from './work-queue.ts';

interface Harness {
  readonly clock: TestClock;
  readonly queue: KeyedQueue;
  readonly visits: string[];
  /** Ends the reconcile of a key. */
  readonly end: (key: string, outcome?: Outcome) => Promise<void>;
}

function harness(options: Partial<QueueOptions> = {}): Harness {
  const clock = new TestClock(0);
  const visits: string[] = [];
  const open = new Map<string, (outcome: Outcome) => void>();
  const visit = (key: string): Promise<Outcome> => {
    expect(open.has(key), `${key} is reconciled twice at once`).toBe(false);
    visits.push(key);
    return new Promise((resolve) => void open.set(key, resolve));
  };
  const queue = new KeyedQueue(
    { clock, random: { next: () => 1 - 2 ** -20 }, workers: 2, ...options },
    visit,
  );
  const end = async (key: string, outcome: Outcome = 'done'): Promise<void> => {
    const resolve = open.get(key);
    open.delete(key);
    resolve?.(outcome);
    await clock.settle();
  };
  return { clock, queue, visits, end };
}

describe('a keyed queue', () => {
  it('reconciles a key once however often it was added', async () => {
    const { queue, visits, end } = harness({ workers: 1 });
    queue.add('busy');
    for (let times = 0; times < 5; times += 1) queue.add('a');
    await end('busy');
    await end('a');
    expect(visits).toEqual(['busy', 'a']);
  });

  it('reconciles a key again that was added during its reconcile, but not concurrently', async () => {
    const { queue, visits, end } = harness();
    queue.add('a');
    queue.add('a');
    expect(visits).toEqual(['a']);
    await end('a');
    expect(visits).toEqual(['a', 'a']);
  });

  it('reconciles as many keys at once as it has workers, in the order of addition', async () => {
    const { queue, visits, end } = harness();
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    expect(visits).toEqual(['a', 'b']);
    await end('b');
    expect(visits).toEqual(['a', 'b', 'c']);
  });

  it.for([
    ['fails', 'backoff', [1000, 2000, 3000, 3000]],
    ['requests another reconcile at once', 'now', [100, 200, 400, 800]],
  ] as const)('backs off for a key that %s, and not for others', async ([, outcome, wanted]) => {
    const { queue, visits, end, clock } = harness({ backoff: { firstMs: 1000, maxMs: 3000 } });
    const waits: number[] = [];
    for (let times = 0; times < 4; times += 1) {
      if (times === 0) queue.add('a');
      const from = clock.now();
      await end('a', outcome);
      queue.add('b');
      await end('b');
      await clock.next();
      waits.push(Math.round(clock.now() - from));
    }
    expect(waits).toEqual(wanted);
    expect(visits.filter((key) => key === 'b')).toHaveLength(4);
  });

  it('resets the backoff after a success', async () => {
    const { queue, end, clock } = harness({ backoff: { firstMs: 1000, maxMs: 60_000 } });
    queue.add('a');
    for (let times = 0; times < 3; times += 1) {
      await end('a', 'backoff');
      await clock.next();
    }
    await end('a', 'done');
    queue.add('a');
    const from = clock.now();
    await end('a', 'backoff');
    await clock.next();
    expect(Math.round(clock.now() - from)).toBe(1000);
  });

  it('requeues at the given time, or earlier after a change', async () => {
    const { queue, visits, end, clock } = harness();
    queue.add('a');
    await end('a', { at: 5000 });
    await clock.next();
    expect([clock.now(), visits.length]).toEqual([5000, 2]);
    await end('a', { at: 9000 });
    queue.add('a');
    expect(visits).toHaveLength(3);
    await end('a');
    expect(clock.pending).toBe(0);
  });

  it('keeps the earlier of two times', () => {
    const { queue, clock } = harness();
    queue.addAt('a', 5000);
    queue.addAt('a', 3000);
    queue.addAt('a', 8000);
    expect(clock.nextAt()).toBe(3000);
    expect(clock.pending).toBe(1);
  });

  it('does not let an eager key occupy a worker', async () => {
    const { queue, visits, end } = harness({ workers: 1 });
    queue.add('greedy');
    queue.add('patient');
    await end('greedy', 'now');
    expect(visits).toEqual(['greedy', 'patient']);
  });

  it('starts nothing after it was stopped, and waits for running reconciles', async () => {
    const { queue, visits, end, clock } = harness({ workers: 1 });
    queue.add('a');
    queue.add('b');
    queue.addAt('c', 1000);
    let isStopped = false;
    const stopping = queue.stop().then(() => (isStopped = true));
    await clock.settle();
    expect(isStopped).toBe(false);
    await end('a', 'now');
    await stopping;
    expect([visits, clock.pending, queue.gauges().waiting]).toEqual([['a'], 0, 0]);
  });

  it('reports its depth', () => {
    const { queue, clock } = harness({ workers: 1, waitingMax: 1 });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    queue.addAt('d', 1000);
    clock.jump(500);
    expect(queue.gauges()).toEqual({ waiting: 2, visiting: 1, delayed: 1, oldestMs: 500, isOverfull: true });
  });

  it('reconciles every key after its last addition, whatever the order of events', async () => {
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd') }),
      fc.record({
        end: fc.constantFrom('a', 'b', 'c', 'd'),
        outcome: fc.constantFrom<Outcome>('done', 'now', 'backoff', { at: 2000 }),
      }),
      fc.record({ pass: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { queue, visits, end, clock } = harness();
        const owed = new Set<string>();
        const seen = (): void => {
          for (const key of visits.splice(0)) owed.delete(key);
        };
        for (const one of steps) {
          if ('add' in one) {
            seen();
            owed.add(one.add);
            queue.add(one.add);
          } else if ('end' in one) await end(one.end, one.outcome);
          else await clock.next();
        }
        for (let times = 0; times < 20; times += 1) for (const key of ['a', 'b', 'c', 'd']) await end(key);
        while (clock.pending > 0) {
          await clock.next();
          for (const key of ['a', 'b', 'c', 'd']) await end(key);
        }
        seen();
        expect([...owed]).toEqual([]);
        expect(queue.gauges()).toMatchObject({ waiting: 0, visiting: 0, delayed: 0 });
      }),
      { numRuns: 300 },
    );
  });
});
