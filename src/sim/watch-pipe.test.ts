import { expect, it } from 'vitest';
import { drain } from '../../test/drain.ts';
import type { WatchSink } from '../apiserver/request.ts';
import { Incarnation } from './incarnation.ts';
import { Link } from './link.ts';
import { RandomStreams } from './random-streams.ts';
import { Schedule } from './schedule.ts';
import { WatchPipe } from './watch-pipe.ts';

/** A pipe whose nth event takes the nth of these times. */
class Stand {
  readonly schedule = new Schedule({ startsAt: 0, ties: new RandomStreams(1).stream('ties'), drain });
  readonly link = new Link('link', this.schedule);
  readonly caller = new Incarnation({
    process: 'worker',
    number: 1,
    schedule: this.schedule,
    skewMs: () => 0,
    failed: () => undefined,
  });
  readonly seen: string[] = [];
  readonly pipe: WatchPipe;
  server: WatchSink | undefined;
  isOpen = true;

  constructor(...delays: readonly number[]) {
    this.pipe = new WatchPipe({
      schedule: this.schedule,
      link: this.link,
      caller: this.caller,
      label: 'event',
      delayMs: (nth) => delays[nth - 1] ?? 0,
      seen: () => undefined,
      over: () => (this.isOpen = false),
    });
    this.pipe.open((sink) => {
      this.server = sink;
      return () => (this.server = undefined);
    });
    this.pipe.client({
      event: ({ object }) =>
        void this.seen.push(`${typeof object === 'string' ? object : ''} at ${this.schedule.now}`),
      end: (how) => void this.seen.push(`${how ?? 'ended'} at ${this.schedule.now}`),
    });
  }

  send(...objects: readonly string[]): this {
    for (const object of objects) this.server?.event({ type: 'ADDED', object });
    return this;
  }

  async pass(ms: number): Promise<this> {
    await this.schedule.runUntil(this.schedule.now + ms);
    return this;
  }
}

it('each event arrives after its own delay, but none before the one it follows', async () => {
  const stand = await new Stand(10, 30, 5, 50).send('a', 'b', 'c', 'd').pass(100);
  expect(stand.seen).toEqual(['a at 10', 'b at 30', 'c at 30', 'd at 50']);
});

it('the end comes after all events, and then nothing is held', async () => {
  const stand = new Stand(10, 5).send('a');
  stand.server?.end();
  await stand.pass(100);
  expect([stand.seen, stand.isOpen, stand.server]).toEqual([['a at 10', 'ended at 10'], false, undefined]);
});

it('a break comes at once, and what was under way is lost', async () => {
  const stand = await new Stand(10, 20).send('a', 'b').pass(15);
  stand.pipe.break();
  expect([stand.seen, stand.isOpen, stand.server]).toEqual([['a at 10', 'broken at 15'], false, undefined]);
  expect((await stand.pass(100)).seen).toHaveLength(2);
});

it('who stops it hears nothing any more, not even the end', async () => {
  const stand = new Stand(10).send('a');
  stand.pipe.stop();
  expect([(await stand.pass(100)).seen, stand.isOpen, stand.server]).toEqual([[], false, undefined]);
});

it('a link that holds keeps the order, and the delays of those behind are over by then', async () => {
  const stand = new Stand(10, 20).send('a', 'b');
  stand.link.clog(true);
  await stand.pass(100);
  stand.link.heal();
  expect((await stand.pass(100)).seen).toEqual(['a at 100', 'b at 100']);
});
