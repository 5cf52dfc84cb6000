import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { Tally } from '../checkers/tally.ts';
import type { ProcessInstance } from './process-instance.ts';
import type { Factory, Inhabitant, ProcessEnv } from './process.ts';
import { World } from '../world/world.ts';

const start = Date.UTC(2026, 0, 1);

class Harness {
  readonly world = new World({ seed: 1, drain });
  readonly said: string[] = [];

  /** Adds a process that runs the given function in each of its lives. */
  add(name: string, ...lives: readonly ((env: ProcessEnv) => Inhabitant | void)[]): void {
    let life = 0;
    const factory: Factory = (env) => {
      const live = lives[Math.min(life, lives.length - 1)];
      life += 1;
      return live?.(env) ?? {};
    };
    this.world.addProcess({ name, versions: [factory] });
  }

  /** Records the process number and the time every second. */
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
  it('drops every continuation: no timer or reply of a dead process runs', async () => {
    const harness = new Harness();
    const tally = new Tally();
    let dead: ProcessInstance | undefined;
    harness.add(
      'worker',
      (env) => {
        dead = env.incarnation;
        env.clock.after(5, () => harness.say('timer of a dead process'));
        const call = harness.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        void call.then(() => harness.say('reply to a dead process'));
      },
      () => harness.say('second life'),
    );
    await harness.pass(1);
    harness.process('worker').crash(100);
    const labels = harness.world.schedule.pending.map(({ label }) => label);
    expect(labels, 'the schedule holds no timer of the dead process').not.toContain('worker#1 timer');
    dead?.deliver(() => harness.say('a word to the dead'));
    await harness.pass(10_000);
    expect(harness.said).toEqual(['second life']);
    expect(tally.sum, 'the sent call has landed').toBe(1);
    expect(harness.process('worker').timers).toBe(0);
  });

  it('ignores what the dead process does in the same instant', async () => {
    const harness = new Harness();
    const tally = new Tally();
    harness.add('worker', (env) => {
      env.clock.after(5, () => {
        harness.process('worker').crash(undefined);
        env.clock.after(5000, () => harness.say('timer set by the dead'));
        void harness.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        env.log('words of the dead');
      });
    });
    await harness.pass(1000);
    expect([harness.said, tally.asked, harness.process('worker').isUp]).toEqual([[], 0, false]);
    expect(harness.world.schedule.pending.map(({ label }) => label)).not.toContain('worker#1 timer');
    expect(harness.world.trace.timeline().join('\n')).not.toContain('words of the dead');
  });

  it('is followed by a new life with the next number and its own random stream', async () => {
    const harness = new Harness();
    const live = (env: ProcessEnv): void =>
      harness.say(`${env.incarnation.label} at ${harness.world.passedMs} draws ${env.random.next()}`);
    harness.add('worker', live);
    await harness.pass(1000);
    harness.process('worker').crash(500);
    expect(harness.process('worker').crash(1), 'a process that is down cannot crash').toBe(false);
    await harness.pass(1000);
    expect(harness.said.map((line) => line.replace(/ draws .*/, ''))).toEqual([
      'worker#1 at 0',
      'worker#2 at 1500',
    ]);
    expect(new Set(harness.said.map((line) => line.replace(/.* draws /, ''))).size).toBe(2);
  });
});

describe('a pause', () => {
  it('holds every event, and delivers all in order at one time on resume', async () => {
    const harness = new Harness();
    const tally = new Tally();
    harness.add('worker', (env) => {
      for (const ms of [2000, 3000, 4000])
        env.clock.after(ms, () => harness.say(`${ms} at ${harness.world.passedMs}`));
      env.clock.after(900, () => {
        const call = harness.world.calls.call(tally, { caller: env.incarnation, request: 1 });
        void call.then(() => harness.say(`reply at ${harness.world.passedMs}`));
      });
    });
    await harness.pass(905);
    harness.process('worker').pause();
    expect(harness.process('worker').pause()).toBe(false);
    harness.world.schedule.direct(8095, 'goes on', () => void harness.process('worker').resume());
    await harness.pass(8000);
    expect([harness.said, tally.sum]).toEqual([[], 1]);
    await harness.pass(1000);
    expect(harness.said).toEqual(['reply at 9000', '2000 at 9000', '3000 at 9000', '4000 at 9000']);
  });

  it('lets no new event overtake a held event', async () => {
    const harness = new Harness();
    let awake: ProcessInstance | undefined;
    harness.add('worker', (env) => {
      awake = env.incarnation;
      for (const ms of [200, 300]) env.clock.after(ms, () => harness.say(`held ${ms}`));
    });
    await harness.pass(50);
    harness.process('worker').pause();
    await harness.pass(1000);
    harness.process('worker').resume();
    awake?.deliver(() => harness.say('new'));
    await harness.pass(1000);
    expect(harness.said).toEqual(['held 200', 'held 300', 'new']);
  });

  it('lets a process cancel a timer that was due during the pause', async () => {
    const harness = new Harness();
    harness.add('worker', (env) => {
      const cancel = env.clock.after(200, () => harness.say('taken back'));
      env.clock.after(100, cancel);
    });
    await harness.pass(50);
    harness.process('worker').pause();
    await harness.pass(1000);
    harness.process('worker').resume();
    await harness.pass(1000);
    expect(harness.said).toEqual([]);
  });

  it('ends in death when the process crashes during the pause', async () => {
    const harness = new Harness();
    harness.add('worker', harness.clockwork, () => harness.say('second life'));
    await harness.pass(500);
    harness.process('worker').pause();
    await harness.pass(5000);
    harness.process('worker').crash(100);
    expect(harness.process('worker').resume()).toBe(false);
    await harness.pass(5000);
    expect(harness.said).toEqual(['second life']);
  });
});

describe('a stop', () => {
  it('lets a process end by itself within its grace', async () => {
    const harness = new Harness();
    harness.add(
      'worker',
      (env) => ({
        stop: () =>
          new Promise<void>((resolve) => void env.clock.after(300, resolve)).then(() => harness.say('tidy')),
      }),
      () => harness.say(`again at ${harness.world.passedMs}`),
    );
    await harness.pass(100);
    harness.process('worker').stop(10_000, 1000);
    await harness.pass(400);
    const labels = harness.world.schedule.pending.map(({ label }) => label);
    expect(labels, 'no kill is scheduled any more').not.toContain('worker#1 is killed');
    await harness.pass(9600);
    expect(harness.said).toEqual(['tidy', 'again at 1400']);
  });

  it('kills a process that takes longer', async () => {
    const harness = new Harness();
    harness.add(
      'worker',
      (env) => ({
        stop: () =>
          new Promise<void>((resolve) => void env.clock.after(9000, resolve)).then(() => harness.say('tidy')),
      }),
      () => harness.say(`again at ${harness.world.passedMs}`),
    );
    await harness.pass(100);
    harness.process('worker').stop(500, 1000);
    await harness.pass(20_000);
    expect(harness.said).toEqual(['again at 1600']);
  });
});

describe('a process that is started by hand and ended for good', () => {
  it.for<[string, (harness: Harness) => void]>([
    ['a crash', (harness) => void harness.process('worker').crash(60_000)],
    ['a stop', (harness) => void harness.process('worker').stop(60_000, 0)],
  ])('is not started again by an earlier %s', async ([, end]) => {
    const harness = new Harness();
    harness.add(
      'worker',
      () => ({ stop: () => new Promise(() => undefined) }),
      () => harness.say('second life'),
    );
    await harness.pass(100);
    end(harness);
    expect(harness.process('worker').start()).toBe(true);
    await harness.pass(100);
    harness.process('worker').crash(undefined);
    await harness.pass(200_000);
    expect([harness.said, harness.process('worker').isUp]).toEqual([['second life'], false]);
  });
});

describe('an upgrade', () => {
  it('runs the next version while the old one drains, and returns to the first version the next time', async () => {
    const harness = new Harness();
    const version =
      (name: string): Factory =>
      (env) => {
        const tick = (): void => {
          harness.say(`${name} ${env.incarnation.label} at ${harness.world.passedMs}`);
          env.clock.after(100, tick);
        };
        tick();
        return { stop: () => new Promise<void>((resolve) => void env.clock.after(180, resolve)) };
      };
    harness.world.addProcess({ name: 'worker', versions: [version('old'), version('new')] });
    await harness.pass(50);
    harness.process('worker').upgrade(1000);
    await harness.pass(350);
    expect(harness.said).toEqual([
      'old worker#1 at 0',
      'new worker#2 at 50',
      'old worker#1 at 100',
      'new worker#2 at 150',
      'old worker#1 at 200',
      'new worker#2 at 250',
      'new worker#2 at 350',
    ]);
    harness.process('worker').upgrade(0);
    await harness.pass(20);
    expect(harness.said.at(-1)).toBe('old worker#3 at 400');
  });
});

describe('the clock of a process', () => {
  it('can have a skew and can jump, without moving the timers', async () => {
    const harness = new Harness();
    harness.add('worker', (env) => {
      env.clock.after(1000, () => harness.say(`${env.clock.now() - start} at ${harness.world.passedMs}`));
    });
    await harness.pass(10);
    harness.process('worker').jump(-300_000);
    await harness.pass(5000);
    expect(harness.said).toEqual(['-299000 at 1000']);
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
    const harness = new Harness();
    harness.add('worker', live);
    await harness.pass(1000);
    expect(harness.world.violation).toMatchObject({ id: 'failure', message: 'worker: Error: boom' });
    expect(harness.process('worker').isUp).toBe(false);
  });

  it('or that ends by itself, is started again', async () => {
    const harness = new Harness();
    harness.add('worker', (env) => env.exit('lost its lease'), harness.clockwork);
    await harness.pass(2500);
    expect(harness.said).toEqual(['worker#2 at 2000']);
    expect(harness.world.violation).toBeUndefined();
  });
});
