import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { noFaults, plannedFaults, type PlanEntry } from '../faults/fault-plan.ts';
import type { Invariant } from '../checkers/invariant.ts';
import type { ProcessEnv } from './process.ts';
import { runOnce, type RunResult, type RunSettings } from './run.ts';
import type { Scenario, ScenarioSetup } from './scenario.ts';
import { swarmFaults } from '../faults/swarm.ts';
import type { Targets } from '../faults/timed-fault.ts';
import type { World } from '../world/world.ts';

const path = '/api/v1/namespaces/default/configmaps';
const hourMs = 3_600_000;

/** A world with one worker, that lives as it is told. */
function scenarioOf(
  live: (env: ProcessEnv, world: World) => void,
  setup: Partial<ScenarioSetup> = {},
): Scenario {
  return {
    name: 'toy',
    says: 'a toy',
    hours: 1,
    settleMs: hourMs,
    bugs: {},
    scripts: {},
    build: (world) => {
      world.addProcess({
        name: 'worker',
        versions: [
          (env) => {
            live(env, world);
            return {};
          },
        ],
      });
      return {
        invariants: [],
        premises: [],
        resyncMs: 60_000,
        endState: () => null,
        missing: () => undefined,
        ...setup,
      };
    },
  };
}

async function run(
  scenario: Scenario,
  faults: readonly PlanEntry[] = [],
  more: Partial<RunSettings> = {},
): Promise<RunResult> {
  const settings = { seed: 1, hours: 1, drain, faults: () => plannedFaults(faults) };
  return runOnce(scenario, { ...settings, ...more });
}

const every = (env: ProcessEnv, ms: number, act: () => void): void => {
  const round = (): void => {
    act();
    env.clock.after(ms, round);
  };
  env.clock.after(ms, round);
};

/** Makes an object, removes it the next time, and so on. */
const writer = (env: ProcessEnv, world: World): void => {
  const transport = world.kube.transport(env.incarnation);
  let isThere = false;
  every(env, 10_000, () => {
    const name = env.incarnation.label.replace('#', '-');
    const create = { method: 'POST', path, query: {}, body: { metadata: { name } } } as const;
    const remove = { method: 'DELETE', path: `${path}/${name}`, query: {} } as const;
    void transport.request(isThere ? remove : create);
    isThere = !isThere;
  });
};

const idle = (env: ProcessEnv): void => every(env, 10_000, () => undefined);

describe('a run', () => {
  it('that is at peace breaks nothing', async () => {
    expect(await run(scenarioOf(idle))).toMatchObject({ violation: undefined, faults: [] });
  });

  it('checks an invariant after each event, and ends at the first that breaks it', async () => {
    let isBroken = false;
    const breaks = (env: ProcessEnv): void => {
      idle(env);
      env.clock.after(90_500, () => (isBroken = true));
    };
    const broken = { id: 'X1', says: 'x', check: () => (isBroken ? 'it broke' : undefined) };
    const ran: number[] = [];
    const firstAt = async (when: Invariant['when']): Promise<number> => {
      isBroken = false;
      const { violation, timeline, events } = await run(
        scenarioOf(breaks, { invariants: [{ ...broken, when }] }),
      );
      ran.push(events);
      expect(violation).toMatchObject({ id: 'X1', message: 'it broke' });
      expect(timeline.at(-1)).toContain('!!              X1                                        it broke');
      return violation?.atMs ?? Number.NaN;
    };
    const often = await firstAt('often');
    expect([await firstAt('each'), often > 90_500, often < hourMs, await firstAt('end')]).toEqual([
      90_500,
      true,
      true,
      2 * hourMs,
    ]);
    expect(ran[1], 'nothing happens after it').toBeLessThan(60);
  });

  it('names a deadlock', async () => {
    const waits = (env: ProcessEnv, world: World): void => {
      // Somebody who looks on is no reason to think that something will happen.
      world.kube.view(path);
      const transport = world.kube.transport(env.incarnation);
      void transport.request({ method: 'GET', path, query: {} });
    };
    const lost: PlanEntry = {
      on: 'worker/kube/list configmaps#1',
      fault: { kind: 'reply-lost', silent: true },
    };
    const watch = scenarioOf(waits);
    expect((await run(watch, [lost])).violation).toMatchObject({
      id: 'deadlock',
      message: 'nothing is left to happen, but worker#1 waits for worker/kube/list configmaps#1',
    });
    expect((await run(watch)).violation).toBeUndefined();
  });

  it('names who is stuck although others go on', async () => {
    const waits = (env: ProcessEnv, world: World): void => {
      idle(env);
      const transport = world.kube.transport(env.incarnation);
      env.clock.after(60_000, () => void transport.request({ method: 'GET', path, query: {} }));
    };
    const lost: PlanEntry = {
      on: 'worker/kube/list configmaps#1',
      fault: { kind: 'reply-lost', silent: true },
    };
    expect((await run(scenarioOf(waits), [lost])).violation).toEqual({
      id: 'stuck',
      atMs: 2 * hourMs,
      message: 'worker#1 waits for worker/kube/list configmaps#1',
    });
  });

  it('has time for the work that has gathered when the faults stop, and no more than that', async () => {
    const endsAfter = async (doneAtMs: number, backlogMs: number): Promise<string | undefined> => {
      let passedMs = (): number => 0;
      const works = (env: ProcessEnv, world: World): void => {
        idle(env);
        passedMs = () => world.passedMs;
      };
      const missing = (): string | undefined => (passedMs() < doneAtMs ? 'it works' : undefined);
      const { violation } = await run(scenarioOf(works, { missing, backlogMs: () => backlogMs }));
      return violation?.id;
    };
    // An hour of faults, what has gathered, and an hour to come to rest.
    expect([
      await endsAfter(4 * hourMs, 0),
      await endsAfter(4 * hourMs, 2 * hourMs),
      await endsAfter(4 * hourMs + 1, 2 * hourMs),
    ]).toEqual(['convergence', undefined, 'convergence']);
  });

  it('breaks when a service throws', async () => {
    const asksForLogs = (env: ProcessEnv, world: World): void => {
      idle(env);
      world.kube.server.handle = () => {
        throw new Error('boom');
      };
      void world.kube.transport(env.incarnation).request({ method: 'GET', path, query: {} });
    };
    expect((await run(scenarioOf(asksForLogs))).violation).toMatchObject({
      id: 'failure',
      message: 'kube: Error: boom',
    });
  });

  it('breaks when a promise is rejected that nobody looks at, and listens no longer than it lasts', async () => {
    const takers = new Set<(error: unknown) => void>();
    const scenario = scenarioOf((env) => {
      env.clock.after(10, () => takers.forEach((take) => take(new Error('lost'))));
    });
    const { violation } = await run(scenario, [], {
      unhandled: (take) => {
        takers.add(take);
        return () => void takers.delete(take);
      },
    });
    expect(violation).toMatchObject({
      id: 'failure',
      message: 'a promise that nobody looked at: Error: lost',
    });
    expect(takers.size).toBe(0);
  });

  it('demands that the world comes to what is wanted', async () => {
    const missing = (): string => 'a host';
    expect((await run(scenarioOf(idle, { missing }))).violation).toEqual({
      id: 'convergence',
      atMs: 2 * hourMs,
      message: 'a host',
    });
  });

  it('demands stillness: no write for three resyncs', async () => {
    expect((await run(scenarioOf(writer))).violation).toMatchObject({ id: 'stillness' });
  });

  it('compares the end with that of the run without faults', async () => {
    let lives = 0;
    const counts = (env: ProcessEnv): void => {
      lives += 1;
      idle(env);
    };
    const scenario = scenarioOf(counts, { endState: () => ({ lives }) });
    const clean = await run(scenario);
    lives = 0;
    const crash: PlanEntry = { atMs: 1000, fault: { kind: 'crash', process: 'worker', restartMs: 10 } };
    expect((await run(scenario, [crash], { clean })).violation).toMatchObject({
      id: 'end-state',
      message: 'lives is 2, without faults 1',
    });
  });

  it('sees timers that are left behind', async () => {
    const forgets = (env: ProcessEnv): void => {
      idle(env);
      if (env.incarnation.label === 'worker#2')
        for (let round = 0; round < 10; round += 1) env.clock.after(1e9, () => undefined);
    };
    const scenario = scenarioOf(forgets);
    const clean = await run(scenario);
    const crash: PlanEntry = { atMs: 1000, fault: { kind: 'crash', process: 'worker', restartMs: 10 } };
    expect((await run(scenario, [crash], { clean })).violation).toMatchObject({
      id: 'leak',
      message: 'timers: 11, without faults 1',
    });
  });

  it('does not take for left behind what is over some seconds later', async () => {
    const scenario = scenarioOf((env) => {
      idle(env);
      // As many calls that begin just before the end would have.
      if (env.incarnation.label === 'worker#2')
        for (let round = 0; round < 10; round += 1) env.clock.after(2 * hourMs, () => undefined);
    });
    const clean = await run(scenario);
    const crash: PlanEntry = { atMs: 1000, fault: { kind: 'crash', process: 'worker', restartMs: 10 } };
    expect((await run(scenario, [crash], { clean })).violation).toBeUndefined();
  });

  it('sees timers that are left behind in any process, not only in the last', async () => {
    const forgets = (env: ProcessEnv): void => {
      idle(env);
      if (env.incarnation.label === 'worker#2')
        for (let round = 0; round < 10; round += 1) env.clock.after(1e9, () => undefined);
    };
    const alone = scenarioOf(forgets);
    const inBatch: Scenario = {
      ...alone,
      build: (world, setting) => {
        const setup = alone.build(world, setting);
        world.addProcess({ name: 'other', versions: [() => ({})] });
        return setup;
      },
    };
    const clean = await run(inBatch);
    const crash: PlanEntry = { atMs: 1000, fault: { kind: 'crash', process: 'worker', restartMs: 10 } };
    expect((await run(inBatch, [crash], { clean })).violation).toMatchObject({ id: 'leak' });
  });

  it('of many hours sees what grows', async () => {
    let rows = 0;
    const scenario = scenarioOf((env) => every(env, 60_000, () => (rows += 1)), { held: () => ({ rows }) });
    expect((await run(scenario, [], { mustNotGrow: true })).violation).toMatchObject({ id: 'growth' });
    expect((await run(scenario)).violation).toBeUndefined();
  });

  it('holds a scenario to its budget', async () => {
    const budgets = [{ calls: 'kube create', most: 3, perMs: 600_000 }];
    expect((await run(scenarioOf(writer, { budgets }))).violation).toEqual({
      id: 'budget',
      atMs: 70_000,
      message: 'more than 3 calls of kube create within 600000 ms',
    });
  });

  it('counts the faults that were done, and the premises that held', async () => {
    const faults: readonly PlanEntry[] = [
      { atMs: 1000, fault: { kind: 'pause', process: 'worker', forMs: 5000 } },
      { atMs: 2000, fault: { kind: 'pause', process: 'worker', forMs: 5000 } },
      { atMs: 3000, fault: { kind: 'act', name: 'shout' } },
    ];
    const setup = { premises: ['nobody came'], acts: { shout: () => undefined } };
    const { sometimes, faults: happened } = await run(scenarioOf(idle, setup), faults);
    expect(sometimes.rows).toEqual({ 'fault act': 1, 'fault pause': 1, 'premise nobody came': 0 });
    expect(happened, 'who sleeps cannot be put to sleep').toEqual([faults[0], faults[2]]);
  });

  it('lets chance hit every process, link and service, and what people do', async () => {
    let seen: Targets | undefined;
    const setup = { services: ['cloud'], acts: { shout: () => undefined } };
    await run(scenarioOf(idle, setup), [], {
      faults: (_world, targets) => {
        seen = targets;
        return noFaults;
      },
    });
    expect(seen).toEqual({
      processes: ['worker'],
      links: [
        ['worker', 'kube'],
        ['worker', 'cloud'],
        ['worker', 'kube-watch'],
      ],
      services: ['kube', 'cloud'],
      acts: ['shout'],
      upgradable: [],
      schemaChanges: [],
    });
  });

  it('heals everything when its hours of faults are over, but for what should stay broken', async () => {
    const faults: readonly PlanEntry[] = [
      { atMs: 1000, fault: { kind: 'crash', process: 'worker' } },
      { atMs: 2000, fault: { kind: 'outage', service: 'kube' } },
      { atMs: 3000, fault: { kind: 'clog', process: 'worker', link: 'kube', keeps: true } },
    ];
    let states: readonly unknown[] = [];
    const looks = (_: ProcessEnv, world: World): void =>
      void (states = [world.calls.stateOf('kube'), world.links.between('worker', 'kube').isClogged]);
    const scenario = scenarioOf(looks, { cores: { dead: [{ kind: 'crash', process: 'worker' }] } });
    const healed = await run(scenario, faults);
    expect([states, healed.timeline.some((line) => line.includes('worker#2'))]).toEqual([
      ['up', false],
      true,
    ]);
    const dead = await run(scenario, faults, { core: 'dead' });
    expect(dead.timeline.at(-1)).toContain('worker#2        crashes');
  });
});

describe('what stays broken', () => {
  const shortOutage: PlanEntry = {
    atMs: hourMs - 60_000,
    fault: { kind: 'outage', service: 'kube', forMs: 120_000 },
  };

  it('is not healed by the end of something that was broken before', async () => {
    let state = '';
    const looks = (env: ProcessEnv, world: World): void =>
      every(env, 10_000, () => (state = world.calls.stateOf('kube')));
    const scenario = scenarioOf(looks, { cores: { down: [{ kind: 'outage', service: 'kube' }] } });
    await run(scenario, [shortOutage], { core: 'down' });
    expect(state).toBe('down');
    await run(scenario, [shortOutage]);
    expect(state).toBe('up');
  });

  it('may leave the world in another state than without faults', async () => {
    let lives = 0;
    const scenario = scenarioOf(
      (env) => {
        lives += 1;
        idle(env);
      },
      { endState: () => lives, cores: { nothing: [] } },
    );
    const clean = await run(scenario);
    expect((await run(scenario, [], { clean })).violation).toMatchObject({ id: 'end-state' });
    expect((await run(scenario, [], { clean, core: 'nothing' })).violation).toBeUndefined();
  });
});

describe('a plan', () => {
  const lives = (env: ProcessEnv, world: World): void => {
    writer(env, world);
    const transport = world.kube.transport(env.incarnation);
    every(
      env,
      7000,
      () => void transport.request({ method: 'GET', path, query: { limit: '5' } }, { deadlineMs: 3000 }),
    );
  };
  const scenario = scenarioOf(lives, { acts: { shout: () => undefined } });

  it('that was recorded from chance gives exactly the same run again', async () => {
    for (const seed of [1, 2, 3, 4]) {
      const hours = 2;
      const drawn = await run(scenario, [], {
        seed,
        hours,
        faults: ({ streams }, targets) =>
          swarmFaults({ streams, targets, forMs: hours * hourMs, strength: 2 }),
      });
      expect(drawn.faults.length).toBeGreaterThan(0);
      const { hash, events, violation } = await run(scenario, drawn.faults, { seed, hours });
      expect({ hash, events, violation }).toEqual({
        hash: drawn.hash,
        events: drawn.events,
        violation: drawn.violation,
      });
    }
  });

  it('is another one for another seed, and leaves some kinds out', async () => {
    const kindsOf = async (seed: number): Promise<string> => {
      const { faults } = await run(scenario, [], {
        seed,
        faults: ({ streams }, targets) => swarmFaults({ streams, targets, forMs: hourMs, strength: 3 }),
      });
      return [...new Set(faults.map(({ fault }) => fault.kind))].toSorted().join(' ');
    };
    const seen = await Promise.all([1, 2, 3, 4, 5, 6].map((seed) => kindsOf(seed)));
    expect(new Set(seen).size).toBe(6);
    expect(seen.filter((kinds) => kinds.includes('error'))).not.toHaveLength(6);
  });
});
