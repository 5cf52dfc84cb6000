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

/** A world with one worker that runs the given function. */
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

/** Creates an object, deletes it the next time, and so on. */
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
  it('without faults violates nothing', async () => {
    expect(await run(scenarioOf(idle))).toMatchObject({ violation: undefined, faults: [] });
  });

  it('checks an invariant after each event, and ends at the first violation', async () => {
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
    expect(ran[1], 'no event runs after the violation').toBeLessThan(60);
  });

  it('names a deadlock', async () => {
    const waits = (env: ProcessEnv, world: World): void => {
      // An observer does not keep the run alive: a view is no pending event.
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

  it('names the stuck process although others continue', async () => {
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

  it('has time for the backlog when the faults stop, and no more', async () => {
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
    // An hour of faults, the backlog, and an hour to settle.
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

  it('fails on an unhandled rejection, and listens only while the run lasts', async () => {
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
      message: 'an unhandled rejection: Error: lost',
    });
    expect(takers.size).toBe(0);
  });

  it('requires that the world reaches the desired state', async () => {
    const missing = (): string => 'a host';
    expect((await run(scenarioOf(idle, { missing }))).violation).toEqual({
      id: 'convergence',
      atMs: 2 * hourMs,
      message: 'a host',
    });
  });

  it('requires quiescence: no write for three resyncs', async () => {
    expect((await run(scenarioOf(writer))).violation).toMatchObject({ id: 'stillness' });
  });

  it('compares the end state with that of the run without faults', async () => {
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

  it('detects leaked timers', async () => {
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

  it('does not count as leaked what ends some seconds later', async () => {
    const scenario = scenarioOf((env) => {
      idle(env);
      // As many calls as begin just before the end of a run.
      if (env.incarnation.label === 'worker#2')
        for (let round = 0; round < 10; round += 1) env.clock.after(2 * hourMs, () => undefined);
    });
    const clean = await run(scenario);
    const crash: PlanEntry = { atMs: 1000, fault: { kind: 'crash', process: 'worker', restartMs: 10 } };
    expect((await run(scenario, [crash], { clean })).violation).toBeUndefined();
  });

  it('detects leaked timers in any process, not only in the last', async () => {
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

  it('of many hours detects what grows', async () => {
    let rows = 0;
    const scenario = scenarioOf((env) => every(env, 60_000, () => (rows += 1)), { held: () => ({ rows }) });
    expect((await run(scenario, [], { mustNotGrow: true })).violation).toMatchObject({ id: 'growth' });
    expect((await run(scenario)).violation).toBeUndefined();
  });

  it('enforces the budget of a scenario', async () => {
    const budgets = [{ calls: 'kube create', most: 3, perMs: 600_000 }];
    expect((await run(scenarioOf(writer, { budgets }))).violation).toEqual({
      id: 'budget',
      atMs: 70_000,
      message: 'more than 3 calls of kube create within 600000 ms',
    });
  });

  it('counts the injected faults and the premises that held', async () => {
    const faults: readonly PlanEntry[] = [
      { atMs: 1000, fault: { kind: 'pause', process: 'worker', forMs: 5000 } },
      { atMs: 2000, fault: { kind: 'pause', process: 'worker', forMs: 5000 } },
      { atMs: 3000, fault: { kind: 'act', name: 'shout' } },
    ];
    const setup = { premises: ['no event came'], acts: { shout: () => undefined } };
    const { reachability, faults: happened } = await run(scenarioOf(idle, setup), faults);
    expect(reachability.rows).toEqual({ 'fault act': 1, 'fault pause': 1, 'premise no event came': 0 });
    expect(happened, 'a paused process cannot be paused').toEqual([faults[0], faults[2]]);
  });

  it('draws faults for every process, link, service and act of people', async () => {
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

  it('heals everything after the hours of faults, except the faults that are meant to stay', async () => {
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

describe('a permanent fault', () => {
  const shortOutage: PlanEntry = {
    atMs: hourMs - 60_000,
    fault: { kind: 'outage', service: 'kube', forMs: 120_000 },
  };

  it('is not healed by the end of an earlier fault', async () => {
    let state = '';
    const looks = (env: ProcessEnv, world: World): void =>
      every(env, 10_000, () => (state = world.calls.stateOf('kube')));
    const scenario = scenarioOf(looks, { cores: { down: [{ kind: 'outage', service: 'kube' }] } });
    await run(scenario, [shortOutage], { core: 'down' });
    expect(state).toBe('down');
    await run(scenario, [shortOutage]);
    expect(state).toBe('up');
  });

  it('may end in a different state than without faults', async () => {
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

  it('recorded from random faults replays exactly the same run', async () => {
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

  it('differs between seeds, and omits some kinds', async () => {
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
