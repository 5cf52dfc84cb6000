import { expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import type { WatchSink } from '../../../src/embedded/kubernetes-api/request.ts';
import { ProcessInstance } from '../engine/process-instance.ts';
import { Link } from './network-link.ts';
import { RandomStreams } from '../engine/random-streams.ts';
import { Schedule } from '../engine/schedule.ts';
import { WatchPipe } from './watch-pipe.ts';

/** A pipe whose nth event takes the nth of these delays. */
class Harness {
  readonly schedule = new Schedule({ startsAt: 0, ties: new RandomStreams(1).stream('ties'), drain });
  readonly link = new Link('link', this.schedule);
  readonly caller = new ProcessInstance({
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

it('each event arrives after its own delay, but never before its predecessor', async () => {
  const harness = await new Harness(10, 30, 5, 50).send('a', 'b', 'c', 'd').pass(100);
  expect(harness.seen).toEqual(['a at 10', 'b at 30', 'c at 30', 'd at 50']);
});

it('the end comes after all events, and then the pipe holds nothing', async () => {
  const harness = new Harness(10, 5).send('a');
  harness.server?.end();
  await harness.pass(100);
  expect([harness.seen, harness.isOpen, harness.server]).toEqual([
    ['a at 10', 'ended at 10'],
    false,
    undefined,
  ]);
});

it('a break comes at once, and events in flight are lost', async () => {
  const harness = await new Harness(10, 20).send('a', 'b').pass(15);
  harness.pipe.break();
  expect([harness.seen, harness.isOpen, harness.server]).toEqual([
    ['a at 10', 'broken at 15'],
    false,
    undefined,
  ]);
  expect((await harness.pass(100)).seen).toHaveLength(2);
});

it('a stopped pipe delivers nothing more, not even the end', async () => {
  const harness = new Harness(10).send('a');
  harness.pipe.stop();
  expect([(await harness.pass(100)).seen, harness.isOpen, harness.server]).toEqual([[], false, undefined]);
});

it('a link that holds keeps the order, and the delays of held events run meanwhile', async () => {
  const harness = new Harness(10, 20).send('a', 'b');
  harness.link.clog(true);
  await harness.pass(100);
  harness.link.heal();
  expect((await harness.pass(100)).seen).toEqual(['a at 100', 'b at 100']);
});
