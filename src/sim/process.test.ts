import { describe, expect, it } from 'vitest';
import { drain } from '../../test/drain.ts';
import { Tally } from './contract/tally.ts';
import type { Incarnation } from './incarnation.ts';
import type { Factory, Inhabitant, ProcessEnv } from './process.ts';
import { World } from './world.ts';

const start = Date.UTC(2026, 0, 1);

class Stand {
  readonly world = new World({ seed: 1, drain });
  readonly said: string[] = [];

  /** A process that does what it is told in each of its lives. */
  add(name: string, ...lives: readonly ((env: ProcessEnv) => Inhabitant | void)[]): void {
    let life = 0;
    const factory: Factory = (env) => {
      const live = lives[Math.min(life, lives.length - 1)];
      life += 1;
      return live?.(env) ?? {};
    };
    this.world.addProcess({ name, versions: [factory] });
  }

  /** Every second it says its number and the time. */
  readonly clockwork = (env: ProcessEnv): void => {
    const tick = (): void => {
      this.say(`${env.incarnation.label} at ${this.world.passedMs}`);
      env.clock.after(1000, tick);
    };
    env.clock.after(1000, tick);
  };

  say(text: string): void {
    this.said.push(text);
  }

  async pass(ms: number): Promise<void> {
    await this.world.schedule.runUntil(this.world.schedule.now + ms);
  }

  process(name: string) {
    const found = this.world.processes.get(name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }
}

describe('a crash', () => {
  it('drops every continuation: no timer and no reply of a dead life ever runs', async () => {
    const stand = new Stand();
    const tally = new Tally();
    let dead: Incarnation | undefined;
    stand.add(
      'worker',
      (env) => {
        dead = env.incarnation;
        env.clock.after(5, () => stand.say('timer of a dead process'));
        const call = stand.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        void call.then(() => stand.say('reply to a dead process'));
      },
      () => stand.say('second life'),
    );
    await stand.pass(1);
    stand.process('worker').crash(100);
    const labels = stand.world.schedule.pending.map(({ label }) => label);
    expect(labels, 'nothing of it is even left to happen').not.toContain('worker#1 timer');
    dead?.deliver(() => stand.say('a word to the dead'));
    await stand.pass(10_000);
    expect(stand.said).toEqual(['second life']);
    expect(tally.sum, 'what was sent has landed').toBe(1);
    expect(stand.process('worker').timers).toBe(0);
  });

  it('takes what is done after it, in the same breath, for nothing', async () => {
    const stand = new Stand();
    const tally = new Tally();
    stand.add('worker', (env) => {
      env.clock.after(5, () => {
        stand.process('worker').crash(undefined);
        env.clock.after(5000, () => stand.say('timer set by the dead'));
        void stand.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        env.log('words of the dead');
      });
    });
    await stand.pass(1000);
    expect([stand.said, tally.asked, stand.process('worker').isUp]).toEqual([[], 0, false]);
    expect(stand.world.schedule.pending.map(({ label }) => label)).not.toContain('worker#1 timer');
    expect(stand.world.trace.timeline().join('\n')).not.toContain('words of the dead');
  });

  it('is followed by a fresh life with the next number, with chance of its own', async () => {
    const stand = new Stand();
    const live = (env: ProcessEnv): void =>
      stand.say(`${env.incarnation.label} at ${stand.world.passedMs} draws ${env.random.next()}`);
    stand.add('worker', live);
    await stand.pass(1000);
    stand.process('worker').crash(500);
    expect(stand.process('worker').crash(1), 'who is down cannot crash').toBe(false);
    await stand.pass(1000);
    expect(stand.said.map((line) => line.replace(/ draws .*/, ''))).toEqual([
      'worker#1 at 0',
      'worker#2 at 1500',
    ]);
    expect(new Set(stand.said.map((line) => line.replace(/.* draws /, ''))).size).toBe(2);
  });
});

describe('a pause', () => {
  it('holds everything, and then all of the past arrives, in order, at one time', async () => {
    const stand = new Stand();
    const tally = new Tally();
    stand.add('worker', (env) => {
      for (const ms of [2000, 3000, 4000])
        env.clock.after(ms, () => stand.say(`${ms} at ${stand.world.passedMs}`));
      env.clock.after(900, () => {
        const call = stand.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        void call.then(() => stand.say(`reply at ${stand.world.passedMs}`));
      });
    });
    await stand.pass(905);
    stand.process('worker').pause();
    expect(stand.process('worker').pause()).toBe(false);
    stand.world.schedule.direct(8095, 'goes on', () => void stand.process('worker').resume());
    await stand.pass(8000);
    expect([stand.said, tally.sum]).toEqual([[], 1]);
    await stand.pass(1000);
    expect(stand.said).toEqual(['reply at 9000', '2000 at 9000', '3000 at 9000', '4000 at 9000']);
  });

  it('lets nothing new overtake what was held', async () => {
    const stand = new Stand();
    let awake: Incarnation | undefined;
    stand.add('worker', (env) => {
      awake = env.incarnation;
      for (const ms of [200, 300]) env.clock.after(ms, () => stand.say(`held ${ms}`));
    });
    await stand.pass(50);
    stand.process('worker').pause();
    await stand.pass(1000);
    stand.process('worker').resume();
    awake?.deliver(() => stand.say('new'));
    await stand.pass(1000);
    expect(stand.said).toEqual(['held 200', 'held 300', 'new']);
  });

  it('lets a process take back a timer that was due while it slept', async () => {
    const stand = new Stand();
    stand.add('worker', (env) => {
      const cancel = env.clock.after(200, () => stand.say('taken back'));
      env.clock.after(100, cancel);
    });
    await stand.pass(50);
    stand.process('worker').pause();
    await stand.pass(1000);
    stand.process('worker').resume();
    await stand.pass(1000);
    expect(stand.said).toEqual([]);
  });

  it('ends in death when the process crashes meanwhile', async () => {
    const stand = new Stand();
    stand.add('worker', stand.clockwork, () => stand.say('second life'));
    await stand.pass(500);
    stand.process('worker').pause();
    await stand.pass(5000);
    stand.process('worker').crash(100);
    expect(stand.process('worker').resume()).toBe(false);
    await stand.pass(5000);
    expect(stand.said).toEqual(['second life']);
  });
});

describe('a stop', () => {
  it('lets a process end by itself within its grace', async () => {
    const stand = new Stand();
    stand.add(
      'worker',
      (env) => ({
        stop: () =>
          new Promise<void>((resolve) => void env.clock.after(300, resolve)).then(() => stand.say('tidy')),
      }),
      () => stand.say(`again at ${stand.world.passedMs}`),
    );
    await stand.pass(100);
    stand.process('worker').stop(10_000, 1000);
    await stand.pass(400);
    const labels = stand.world.schedule.pending.map(({ label }) => label);
    expect(labels, 'nobody needs to kill it any more').not.toContain('worker#1 is killed');
    await stand.pass(9600);
    expect(stand.said).toEqual(['tidy', 'again at 1400']);
  });

  it('kills a process that takes longer', async () => {
    const stand = new Stand();
    stand.add(
      'worker',
      (env) => ({
        stop: () =>
          new Promise<void>((resolve) => void env.clock.after(9000, resolve)).then(() => stand.say('tidy')),
      }),
      () => stand.say(`again at ${stand.world.passedMs}`),
    );
    await stand.pass(100);
    stand.process('worker').stop(500, 1000);
    await stand.pass(20_000);
    expect(stand.said).toEqual(['again at 1600']);
  });
});

describe('a process that somebody starts by hand and ends for good', () => {
  it.for<[string, (stand: Stand) => void]>([
    ['a crash', (stand) => void stand.process('worker').crash(60_000)],
    ['a stop', (stand) => void stand.process('worker').stop(60_000, 0)],
  ])('is not started by %s that was before', async ([, end]) => {
    const stand = new Stand();
    stand.add(
      'worker',
      () => ({ stop: () => new Promise(() => undefined) }),
      () => stand.say('second life'),
    );
    await stand.pass(100);
    end(stand);
    expect(stand.process('worker').start()).toBe(true);
    await stand.pass(100);
    stand.process('worker').crash(undefined);
    await stand.pass(200_000);
    expect([stand.said, stand.process('worker').isUp]).toEqual([['second life'], false]);
  });
});

describe('an upgrade', () => {
  it('runs the next version while the one before still drains, and goes back the next time', async () => {
    const stand = new Stand();
    const version =
      (name: string): Factory =>
      (env) => {
        const tick = (): void => {
          stand.say(`${name} ${env.incarnation.label} at ${stand.world.passedMs}`);
          env.clock.after(100, tick);
        };
        tick();
        return { stop: () => new Promise<void>((resolve) => void env.clock.after(180, resolve)) };
      };
    stand.world.addProcess({ name: 'worker', versions: [version('old'), version('new')] });
    await stand.pass(50);
    stand.process('worker').upgrade(1000);
    await stand.pass(350);
    expect(stand.said).toEqual([
      'old worker#1 at 0',
      'new worker#2 at 50',
      'old worker#1 at 100',
      'new worker#2 at 150',
      'old worker#1 at 200',
      'new worker#2 at 250',
      'new worker#2 at 350',
    ]);
    stand.process('worker').upgrade(0);
    await stand.pass(20);
    expect(stand.said.at(-1)).toBe('old worker#3 at 400');
  });
});

describe('the clock of a process', () => {
  it('can be off and can jump, without moving its timers', async () => {
    const stand = new Stand();
    stand.add('worker', (env) => {
      env.clock.after(1000, () => stand.say(`${env.clock.now() - start} at ${stand.world.passedMs}`));
    });
    await stand.pass(10);
    stand.process('worker').jump(-300_000);
    await stand.pass(5000);
    expect(stand.said).toEqual(['-299000 at 1000']);
  });
});

describe('a process that fails', () => {
  it.for<[string, (env: ProcessEnv) => Inhabitant | void]>([
    [
      'at its start',
      () => {
        throw new Error('boom');
      },
    ],
    [
      'in a timer',
      (env) =>
        void env.clock.after(5, () => {
          throw new Error('boom');
        }),
    ],
    ['in what it does', () => ({ done: Promise.reject(new Error('boom')) })],
  ])('%s breaks an invariant', async ([, live]) => {
    const stand = new Stand();
    stand.add('worker', live);
    await stand.pass(1000);
    expect(stand.world.violation).toMatchObject({ id: 'failure', message: 'worker: Error: boom' });
    expect(stand.process('worker').isUp).toBe(false);
  });

  it('or that ends by itself is started again', async () => {
    const stand = new Stand();
    stand.add('worker', (env) => env.exit('lost its lease'), stand.clockwork);
    await stand.pass(2500);
    expect(stand.said).toEqual(['worker#2 at 2000']);
    expect(stand.world.violation).toBeUndefined();
  });
});
