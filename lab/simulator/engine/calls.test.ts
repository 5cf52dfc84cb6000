import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import type { CallEnd } from './call.ts';
import { Tally } from '../checkers/tally.ts';
import type { EffectFault } from '../faults/effect-fault.ts';
import type { ProcessInstance } from './process-instance.ts';
import { World } from '../world/world.ts';

type Seen = CallEnd<string> & { readonly atMs: number };

/** A worker that adds 1 at its start and gives up after a second; only its first life calls. */
class Harness {
  readonly world = new World({ seed: 1, drain });
  readonly tally = new Tally();
  readonly seen: Seen[] = [];
  readonly sent: string[] = [];
  caller: ProcessInstance | undefined;
  lives = 0;

  constructor(...faults: readonly EffectFault[]) {
    this.world.useFaults({
      decide: ({ id }) => {
        this.sent.push(id);
        return id.endsWith('#1') ? faults : [];
      },
    });
    this.world.addProcess({
      name: 'worker',
      versions: [
        ({ incarnation }) => {
          this.lives += 1;
          this.caller = incarnation;
          if (this.lives === 1) void this.add(incarnation);
          return {};
        },
      ],
    });
  }

  async add(caller: ProcessInstance): Promise<void> {
    const end = await this.world.calls.call(this.tally, { caller, request: 1, deadlineMs: 1000 });
    this.seen.push({ ...end, atMs: this.world.passedMs });
  }

  async pass(ms: number): Promise<this> {
    await this.world.schedule.runUntil(this.world.schedule.now + ms);
    return this;
  }

  get story() {
    return { sum: this.tally.sum, asked: this.tally.asked, seen: this.seen };
  }
}

describe('a call', () => {
  it('travels to the service, takes effect at one instant, and returns', async () => {
    const harness = new Harness();
    expect((await harness.pass(9)).story).toEqual({ sum: 0, asked: 0, seen: [] });
    expect((await harness.pass(1)).story).toEqual({ sum: 1, asked: 1, seen: [] });
    expect((await harness.pass(1000)).story.seen).toEqual([{ answer: 'sum 1', atMs: 20 }]);
  });

  it.for<[string, EffectFault, object]>([
    [
      'refused: nothing is done',
      { kind: 'refused' },
      { sum: 0, asked: 0, seen: [{ broken: 'refused', atMs: 20 }] },
    ],
    [
      'refused with an answer: nothing is done',
      { kind: 'error', reason: 'Conflict' },
      { sum: 0, asked: 1, seen: [{ answer: 'Conflict', atMs: 20 }] },
    ],
    [
      'whose reply is lost: it is done, and the caller cannot know',
      { kind: 'reply-lost', silent: false },
      { sum: 1, asked: 1, seen: [{ broken: 'reset', atMs: 20 }] },
    ],
    [
      'whose reply is lost without a sign: the caller gives up',
      { kind: 'reply-lost', silent: true },
      { sum: 1, asked: 1, seen: [{ broken: 'timeout', atMs: 1000 }] },
    ],
    [
      'that is late: the effect lands although the caller gave up',
      { kind: 'late', ms: 5000 },
      { sum: 1, asked: 1, seen: [{ broken: 'timeout', atMs: 1000 }] },
    ],
    [
      'whose reply is slow',
      { kind: 'slow-reply', ms: 500 },
      { sum: 1, asked: 1, seen: [{ answer: 'sum 1', atMs: 520 }] },
    ],
    [
      'that arrives twice',
      { kind: 'duplicate', ms: 50 },
      { sum: 2, asked: 2, seen: [{ answer: 'sum 1', atMs: 20 }] },
    ],
    [
      'whose caller dies before the effect',
      { kind: 'crash-before', restartMs: 5 },
      { sum: 0, asked: 0, seen: [] },
    ],
    [
      'whose caller dies after the effect',
      { kind: 'crash-after', restartMs: 5 },
      { sum: 1, asked: 1, seen: [] },
    ],
  ])('%s', async ([, fault, story]) => {
    const harness = await new Harness(fault).pass(20_000);
    expect(harness.story).toEqual(story);
    expect(harness.lives).toBe(fault.kind.startsWith('crash') ? 2 : 1);
    expect(harness.world.faults).toEqual([{ on: 'worker/tally/add#1', fault }]);
  });

  it('still lands after its caller gave up, and leaves no waiter', async () => {
    const harness = await new Harness().pass(500);
    const { caller } = harness;
    if (caller === undefined) throw new Error('the caller is dead');
    const patience = new AbortController();
    const call = harness.world.calls.call(harness.tally, { caller, request: 1, signal: patience.signal });
    patience.abort();
    expect([await call, harness.world.schedule.waitingSince(harness.world.schedule.now)]).toEqual([
      { broken: 'timeout' },
      [],
    ]);
    expect((await harness.pass(100)).tally.sum).toBe(2);
  });

  it('still lands after its caller has died', async () => {
    const harness = await new Harness({ kind: 'late', ms: 5000 }).pass(100);
    harness.world.processes.get('worker')?.crash(10);
    expect((await harness.pass(10_000)).story).toEqual({ sum: 1, asked: 1, seen: [] });
  });

  it('has a name whose count continues through all lives of its process', async () => {
    const harness = await new Harness().pass(100);
    harness.world.processes.get('worker')?.crash(10);
    await harness.pass(100);
    if (harness.caller !== undefined) await Promise.race([harness.add(harness.caller), harness.pass(100)]);
    expect(harness.sent).toEqual(['worker/tally/add#1', 'worker/tally/add#2']);
    expect(harness.seen.length).toBe(2);
  });

  it('that waits for ever is named in a deadlock', async () => {
    const harness = new Harness({ kind: 'reply-lost', silent: true });
    await harness.pass(5000);
    const { caller } = harness;
    if (caller === undefined) throw new Error('the caller is dead');
    harness.world.links.between('worker', 'tally').clog(true);
    void harness.world.calls.call(harness.tally, { caller, request: 1 });
    expect(await harness.world.schedule.runUntil(harness.world.schedule.now + 5000)).toEqual({
      end: 'deadlock',
      waiting: ['worker#1 waits for worker/tally/add#2'],
    });
  });
});

describe('a link that is clogged', () => {
  it('holds every message, and delivers all at once when it heals', async () => {
    const harness = new Harness();
    const link = harness.world.links.between('worker', 'tally');
    expect([link.clog(true), link.clog(true)]).toEqual([true, false]);
    harness.world.schedule.direct(500, 'heals', () => void link.heal());
    expect((await harness.pass(499)).story.asked).toBe(0);
    expect((await harness.pass(1000)).story).toEqual({
      sum: 1,
      asked: 1,
      seen: [{ answer: 'sum 1', atMs: 510 }],
    });
  });

  it('may lose the held messages: the caller then sees a broken connection', async () => {
    const harness = new Harness();
    const link = harness.world.links.between('worker', 'tally');
    link.clog(false);
    harness.world.schedule.direct(500, 'heals', () => void link.heal());
    expect((await harness.pass(2000)).story).toEqual({
      sum: 0,
      asked: 0,
      seen: [{ broken: 'reset', atMs: 500 }],
    });
  });

  it('also holds a reply, after the effect', async () => {
    const harness = await new Harness().pass(15);
    harness.world.links.between('worker', 'tally').clog(true);
    expect((await harness.pass(2000)).story).toEqual({
      sum: 1,
      asked: 1,
      seen: [{ broken: 'timeout', atMs: 1000 }],
    });
  });
});

describe('a service', () => {
  it('that is down refuses', async () => {
    const harness = new Harness();
    harness.world.calls.setState('tally', 'down');
    expect((await harness.pass(100)).story).toEqual({
      sum: 0,
      asked: 0,
      seen: [{ broken: 'refused', atMs: 20 }],
    });
  });

  it('that takes no writes answers with an error', async () => {
    const harness = new Harness();
    harness.world.calls.setState('tally', 'no-writes');
    expect((await harness.pass(100)).story).toEqual({
      sum: 0,
      asked: 1,
      seen: [{ answer: 'InternalError', atMs: 20 }],
    });
  });
});
