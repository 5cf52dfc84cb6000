import { describe, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { loggerTo } from '../../../lab/harness/logger-to.ts';
import type { LogFields } from '../logger.ts';
import { runProcess, type Running, type StopSignal } from './run-process.ts';

/** Records all lines in order. */
class Recorder {
  readonly lines: string[] = [];
  readonly fields: LogFields[] = [];
  readonly logger = loggerTo(({ level, message, fields }) => {
    this.lines.push(`${level}: ${message}`);
    this.fields.push(fields);
  });
}

type Start = (running: Running, events: string[]) => Promise<void> | void;

function harness(start: Start, { logger = new Recorder(), lingerMs = 0 } = {}) {
  const clock = new TestClock(0);
  const events: string[] = [];
  const exits: number[] = [];
  let signal: (signal: StopSignal) => void = () => undefined;
  let fault: (error: unknown) => void = () => undefined;
  let running: Running | undefined;
  const over = runProcess({
    clock,
    logger: logger.logger,
    deadlineMs: 20_000,
    lingerMs,
    outside: {
      onSignal: (reported) => void (signal = reported),
      onFault: (reported) => void (fault = reported),
      exit: (code) => {
        exits.push(code);
        events.push(`exit ${code}`);
      },
    },
    start: async (given) => {
      running = given;
      await start(given, events);
    },
  });
  const checks = () => [running?.ready.check(), running?.alive.check()];
  return {
    clock,
    logger,
    events,
    exits,
    over,
    checks,
    signal: (which: StopSignal = 'SIGTERM') => signal(which),
    fault: (error: unknown) => fault(error),
  };
}

/** Three parts that record when they stop, and whether the process was ready. */
const threeParts: Start = (running, events) => {
  for (const part of ['servers', 'lease', 'queue'])
    running.onStop(part, () => void events.push(`${part}, ${running.ready.check() ?? 'ready'}`));
};

describe('a process that gets a stop signal', () => {
  it.for(['SIGTERM', 'SIGINT'] as const)(
    'by %s is unready first, stops in order, and ends with 0',
    async (which) => {
      const { clock, signal, events, checks, over } = harness(threeParts);
      await clock.settle();
      expect(checks()).toEqual([undefined, undefined]);
      signal(which);
      expect(checks()).toEqual(['the process is stopping', undefined]);
      await over;
      expect(events).toEqual([
        'queue, the process is stopping',
        'lease, the process is stopping',
        'servers, the process is stopping',
        'exit 0',
      ]);
    },
  );

  it('lingers, unready, before it stops the first part', async () => {
    const { clock, signal, events, checks } = harness(threeParts, { lingerMs: 5000 });
    await clock.settle();
    signal();
    await clock.settle();
    await clock.pass(4999);
    expect([events, checks()]).toEqual([[], ['the process is stopping', undefined]]);
    await clock.pass(1);
    await clock.settle();
    expect([events.at(0), events.at(-1)]).toEqual(['queue, the process is stopping', 'exit 0']);
  });

  it('lingers no longer than the deadline, or until a second signal', async () => {
    const late = harness(threeParts, { lingerMs: 30_000 });
    await late.clock.settle();
    late.signal();
    await late.clock.pass(20_000);
    expect(late.events).toEqual(['exit 3']);
    const hurried = harness(threeParts, { lingerMs: 5000 });
    await hurried.clock.settle();
    hurried.signal();
    await hurried.clock.settle();
    hurried.signal();
    await hurried.clock.pass(5000);
    expect(hurried.events).toEqual(['exit 3']);
  });

  it('during its start does not linger, because it gets no requests yet', async () => {
    const begun = Promise.withResolvers<void>();
    const { clock, signal, events } = harness(
      async (running, log) => {
        running.onStop('servers', () => void log.push('servers'));
        await begun.promise;
      },
      { lingerMs: 5000 },
    );
    signal();
    begun.resolve();
    await clock.settle();
    expect(events).toEqual(['servers', 'exit 0']);
  });

  it('waits for each part before it stops the next', async () => {
    const inFlight = Promise.withResolvers<void>();
    const { clock, signal, events } = harness((running, log) => {
      running.onStop('lease', () => void log.push('lease'));
      running.onStop('queue', () => inFlight.promise);
    });
    await clock.settle();
    signal();
    await clock.pass(19_999);
    expect(events).toEqual([]);
    inFlight.resolve();
    await clock.settle();
    expect(events).toEqual(['lease', 'exit 0']);
  });

  it('stops the other parts when one fails, logs the part, and exits with 1', async () => {
    const { clock, signal, events, logger, over } = harness((running, log) => {
      running.onStop('lease', () => void log.push('lease'));
      running.onStop('queue', () => Promise.reject(new Error('stuck')));
    });
    await clock.settle();
    signal();
    await over;
    expect(events).toEqual(['lease', 'exit 1']);
    const at = logger.lines.indexOf('error: failed to stop part');
    expect(logger.fields[at]).toMatchObject({ part: 'queue', error: new Error('stuck') });
  });

  it('exits at the deadline, and logs the running parts', async () => {
    const { clock, signal, exits, logger } = harness((running) => {
      running.onStop('servers', () => undefined);
      running.onStop('lease', () => new Promise(() => undefined));
      running.onStop('queue', () => undefined);
    });
    await clock.settle();
    signal();
    await clock.pass(19_999);
    expect(exits).toEqual([]);
    await clock.pass(1);
    expect(exits).toEqual([3]);
    expect(logger.fields.at(-1)).toEqual({
      why: 'the process did not stop within 20 s',
      stillRunning: ['lease', 'servers'],
    });
  });

  it('exits on a second signal', async () => {
    const { clock, signal, exits, logger } = harness((running) => {
      running.onStop('queue', () => new Promise(() => undefined));
    });
    await clock.settle();
    signal('SIGTERM');
    await clock.settle();
    signal('SIGINT');
    expect(exits).toEqual([3]);
    expect(logger.fields.at(-1)).toEqual({ why: 'a second signal came: SIGINT', stillRunning: ['queue'] });
  });

  it('exits once, whatever follows', async () => {
    const { clock, signal, fault, exits, over } = harness(threeParts);
    await clock.settle();
    signal();
    await over;
    signal();
    fault(new Error('too late'));
    await clock.pass(60_000);
    expect(exits).toEqual([0]);
  });

  it('during its start stops the started parts, once the start has ended', async () => {
    const { clock, signal, events, checks, logger, over } = harness(async (running, log) => {
      running.onStop('lease', () => void log.push('lease'));
      await new Promise((_resolve, reject) => {
        running.signal.addEventListener('abort', () => reject(new Error('given up')));
      });
    });
    await clock.settle();
    expect(checks()).toEqual(['the process is starting', undefined]);
    signal();
    await over;
    expect(events).toEqual(['lease', 'exit 0']);
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  it('with a hanging start exits at the deadline, and logs that', async () => {
    const { clock, signal, exits, logger } = harness((running) => {
      running.onStop('lease', () => undefined);
      return new Promise(() => undefined);
    });
    signal();
    await clock.pass(20_000);
    expect(exits).toEqual([3]);
    expect(logger.fields.at(-1)).toMatchObject({ stillRunning: ['start', 'lease'] });
  });
});

it('a process that cannot start stops the started parts, logs the cause, and exits with 1', async () => {
  const { events, logger, over } = harness((running, log) => {
    running.onStop('lease', () => void log.push('lease'));
    throw new Error('the port is taken');
  });
  await over;
  expect(events).toEqual(['lease', 'exit 1']);
  expect(logger.lines).toContain('error: failed to start process');
});

describe('an unexpected error', () => {
  it('ends the process at once with 1, without an orderly stop', async () => {
    const { clock, fault, events, logger, checks } = harness(threeParts);
    await clock.settle();
    const error = new TypeError('undefined is not a host');
    fault(error);
    expect(events).toEqual(['exit 1']);
    expect(logger.lines.at(-1)).toBe('fatal: unexpected error, shutting down');
    expect(logger.fields.at(-1)).toEqual({ error });
    expect(checks()).toEqual(['the process had an unexpected error', 'the process had an unexpected error']);
    await clock.pass(60_000);
    expect(events).toEqual(['exit 1']);
  });

  it('reported by a part does the same', async () => {
    const { clock, exits, logger } = harness((running) => running.crash(new Error('a listener threw')));
    await clock.settle();
    expect(exits).toEqual([1]);
    expect(logger.lines).toEqual(['fatal: unexpected error, shutting down']);
  });

  it('during the stop ends the stop', async () => {
    const inFlight = Promise.withResolvers<void>();
    const { clock, signal, fault, events } = harness((running, log) => {
      running.onStop('lease', () => void log.push('lease'));
      running.onStop('queue', () => inFlight.promise);
    });
    await clock.settle();
    signal();
    await clock.settle();
    fault(new Error('broken'));
    inFlight.resolve();
    await clock.pass(60_000);
    expect(events).toEqual(['exit 1']);
  });

  it('ends the process even if it cannot be logged', async () => {
    const logger = new Recorder();
    logger.logger.fatal = () => {
      throw new Error('the disk is full');
    };
    const { clock, fault, exits } = harness(threeParts, { logger });
    await clock.settle();
    expect(() => fault(new Error('broken'))).toThrow('the disk is full');
    expect(exits).toEqual([1]);
  });
});
