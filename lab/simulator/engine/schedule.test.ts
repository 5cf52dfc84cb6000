import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { RandomStreams } from './random-streams.ts';
import { Schedule } from './schedule.ts';

function scheduleOf(seed = 1): Schedule {
  return new Schedule({ startsAt: 1000, ties: new RandomStreams(seed).stream('ties'), drain });
}

async function orderOf(seed: number): Promise<string> {
  const schedule = scheduleOf(seed);
  const ran: string[] = [];
  for (const name of 'abcdefgh') schedule.after(5, name, () => ran.push(name));
  await schedule.runUntil(2000);
  return ran.join('');
}

describe('a schedule', () => {
  it('runs events in the order of their times, each at its due time', async () => {
    const schedule = scheduleOf();
    const ran: [string, number][] = [];
    for (const ms of [30, 10, 20]) schedule.after(ms, String(ms), () => ran.push([String(ms), schedule.now]));
    expect(await schedule.runUntil(1020)).toEqual({ end: 'time' });
    expect(ran).toEqual([
      ['10', 1010],
      ['20', 1020],
    ]);
    expect(schedule.pending.map(({ label }) => label)).toEqual(['30']);
    expect(await schedule.runUntil(5000)).toEqual({ end: 'idle' });
    expect([ran.length, schedule.now, schedule.events]).toEqual([3, 5000, 3]);
  });

  it('orders events of one instant by the seed', async () => {
    const orders = await Promise.all([1, 2, 3, 4].map((seed) => orderOf(seed)));
    expect(await Promise.all([1, 2, 3, 4].map((seed) => orderOf(seed)))).toEqual(orders);
    expect(new Set(orders).size).toBe(4);
  });

  it('settles every promise before the next event', async () => {
    const schedule = scheduleOf();
    const ran: string[] = [];
    schedule.after(1, 'first', () => {
      void (async () => {
        for (let round = 0; round < 50; round += 1) await Promise.resolve();
        ran.push('all that the first woke up');
      })();
    });
    schedule.after(1, 'second', () => {
      ran.push('second');
    });
    schedule.after(2, 'third', () => {
      ran.push('third');
    });
    await schedule.runUntil(2000);
    expect(ran.at(-1)).toBe('third');
    expect(ran).toHaveLength(3);
    expect(ran.indexOf('all that the first woke up')).toBeLessThan(2);
  });

  it('keeps the order of a plain sorted list under any sequence of sets and cancels', async () => {
    const times = fc.array(fc.record({ ms: fc.nat(50), isTakenBack: fc.boolean() }), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(times, async (wanted) => {
        const schedule = scheduleOf();
        const ran: number[] = [];
        const events = wanted.map(({ ms }, index) => schedule.after(ms, '', () => ran.push(index)));
        for (const [index, event] of events.entries()) if (wanted[index]?.isTakenBack) schedule.cancel(event);
        await schedule.runUntil(2000);
        const msOf = (index: number): number => wanted[index]?.ms ?? Number.NaN;
        expect(ran.map(msOf)).toEqual(ran.map(msOf).toSorted((a, b) => a - b));
        const stayed = wanted.flatMap(({ isTakenBack }, index) => (isTakenBack ? [] : [index]));
        expect(ran.toSorted((a, b) => a - b)).toEqual(stayed);
      }),
      { numRuns: 60 },
    );
  });

  it('names the waiters when no event is left', async () => {
    const schedule = scheduleOf();
    schedule.wait('worker-b waits for a lock');
    const done = schedule.wait('worker-a waits for a reply');
    schedule.wait('worker-a waits for a lock');
    schedule.after(5, 'reply', done);
    expect(await schedule.runUntil(2000)).toEqual({
      end: 'deadlock',
      waiting: ['worker-a waits for a lock', 'worker-b waits for a lock'],
    });
  });

  it('runs injected events first in an instant, without a draw and without a count', async () => {
    const schedule = scheduleOf();
    const ran: string[] = [];
    for (const name of 'abc') schedule.after(5, name, () => ran.push(name));
    schedule.direct(5, 'director', () => ran.push('director'));
    for (const name of 'defgh') schedule.after(5, name, () => ran.push(name));
    await schedule.runUntil(2000);
    expect(ran.join('')).toBe(`director${await orderOf(1)}`);
    expect(schedule.events).toBe(8);
  });

  it('ends after the event that asks for a halt', async () => {
    const schedule = scheduleOf();
    schedule.after(1, 'halt', () => schedule.halt());
    schedule.after(2, 'never', () => expect.fail('it ran on'));
    expect(await schedule.runUntil(2000)).toEqual({ end: 'halt' });
  });

  it('rejects an infinite time, and treats a past time as now', async () => {
    const schedule = scheduleOf();
    expect(() => schedule.after(Number.NaN, 'x', () => undefined)).toThrow('x cannot happen after NaN ms');
    schedule.after(-50, 'late', () => undefined);
    await schedule.runUntil(1000);
    expect([schedule.events, schedule.now]).toEqual([1, 1000]);
  });
});
