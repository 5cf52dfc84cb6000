/** One run of a scenario: hours of faults, then a quiet time, then the check that the world settled as it should. */
import type { Json } from '../../../src/embedded/kubernetes-api/json.ts';
import { FaultInjector } from '../faults/fault-injector.ts';
import type { FaultSource, PlanEntry } from '../faults/fault-plan.ts';
import { differenceOf } from '../checkers/differences.ts';
import type { Violation } from '../checkers/invariant.ts';
import { growthOf, leakOf, type Held } from '../checkers/leaks.ts';
import type { ReachabilityCounts } from '../checkers/reachability.ts';
import type { Scenario, ScenarioSetup } from './scenario.ts';
import type { Drain, RunEnd } from './schedule.ts';
import type { Targets } from '../faults/timed-fault.ts';
import { World, type OnSent } from '../world/world.ts';

export interface RunSettings {
  readonly seed: number;
  readonly hours: number;
  readonly drain: Drain;
  readonly bug?: string | undefined;
  /** The fault that stays after the hours of faults. */
  readonly core?: string | undefined;
  /** Builds the fault source once the targets are known. */
  readonly faults: (world: World, targets: Targets) => FaultSource;
  /** The same run without faults, to compare with. */
  readonly clean?: Pick<RunResult, 'endState' | 'held'> | undefined;
  /** Requires that held resources do not grow: for long runs. */
  readonly mustNotGrow?: boolean | undefined;
  readonly linesMax?: number;
  readonly sent?: OnSent;
  /** Ends the run at this time, with what was found until then. */
  readonly endsAtMs?: number | undefined;
  /** Reports unhandled rejections; the returned function stops the reports. */
  readonly unhandled?: Unhandled | undefined;
  /** Called from time to time, to show progress. */
  readonly progress?: (events: number) => void;
}

export type Unhandled = (take: (error: unknown) => void) => () => void;

export interface RunResult {
  readonly seed: number;
  readonly hash: string;
  readonly events: number;
  readonly violation: Violation | undefined;
  readonly faults: readonly PlanEntry[];
  readonly timeline: readonly string[];
  readonly reachability: ReachabilityCounts;
  readonly endState: Json;
  readonly held: Held;
  /** The names of the permanent faults. */
  readonly cores: readonly string[];
}

const hourMs = 3_600_000;
const oftenEvents = 64;
const progressEvents = 50_000;
const sampleCount = 12;
const stillResyncs = 3;
/** Many calls may begin at the instant at which a run ends. Those calls are over some seconds later; a leak is not. */
const leakLooks = 4;
const leakLookMs = 7000;

export async function runOnce(scenario: Scenario, settings: RunSettings): Promise<RunResult> {
  const { seed, drain, linesMax, sent } = settings;
  const world = new World(
    { seed, drain, ...(linesMax !== undefined && { linesMax }), ...(sent !== undefined && { sent }) },
    scenario.kube,
  );
  const release = settings.unhandled?.((error) => world.fail('an unhandled rejection', error));
  try {
    return await new Run(scenario, settings, world).run();
  } finally {
    release?.();
    world.kube.server.close();
  }
}

class Run {
  readonly #scenario: Scenario;
  readonly #settings: RunSettings;
  readonly #world: World;
  readonly #setup: ScenarioSetup;
  readonly #samples: Held[] = [];
  #checkedAt = 0;

  constructor(scenario: Scenario, settings: RunSettings, world: World) {
    this.#scenario = scenario;
    this.#settings = settings;
    this.#world = world;
    this.#setup = scenario.build(world, { bug: settings.bug, forMs: settings.hours * hourMs });
    world.useBudgets(this.#setup.budgets ?? []);
    world.reachability.declare(...this.#setup.premises.map((premise) => `premise ${premise}`));
  }

  async run(): Promise<RunResult> {
    const { hours, faults, endsAtMs = Infinity } = this.#settings;
    const world = this.#world;
    const director = new FaultInjector(world, this.#setup.acts ?? {});
    const source = faults(world, this.#targets());
    world.expectFaults(source.kinds ?? []);
    director.follow(source);
    await this.#pass(Math.min(hours * hourMs, endsAtMs));
    if (endsAtMs > hours * hourMs) await this.#comeToRest(director);
    return {
      seed: this.#settings.seed,
      hash: world.trace.hash,
      events: world.schedule.events,
      violation: world.violation,
      faults: world.faults,
      timeline: world.trace.timeline(),
      reachability: world.reachability,
      endState: this.#setup.endState(),
      held: this.#held(),
      cores: Object.keys(this.#setup.cores ?? {}),
    };
  }

  async #comeToRest(director: FaultInjector): Promise<void> {
    const { core } = this.#settings;
    director.heal();
    if (core !== undefined) director.breakForGood(this.#setup.cores?.[core] ?? []);
    const backlogMs = this.#setup.backlogMs?.() ?? 0;
    await this.#pass(backlogMs + this.#scenario.settleMs);
    await this.#checkEnd();
  }

  /** Advances time in a few steps, and samples the held resources between the steps. */
  async #pass(ms: number): Promise<void> {
    const { schedule } = this.#world;
    const began = schedule.now;
    for (let piece = 1; piece <= sampleCount; piece += 1) {
      if (this.#world.violation !== undefined) return;
      const until = began + Math.round((ms * piece) / sampleCount);
      this.#evaluate(await schedule.runUntil(until, () => this.#afterEach()));
      this.#samples.push(this.#held());
    }
  }

  #evaluate(end: RunEnd): void {
    if (end.end === 'deadlock')
      this.#world.violate('deadlock', `nothing is left to happen, but ${end.waiting.join('; ')}`);
  }

  #afterEach(): void {
    const { events } = this.#world.schedule;
    this.#check('each');
    if (events - this.#checkedAt >= oftenEvents) {
      this.#checkedAt = events;
      this.#check('often');
    }
    if (events % progressEvents === 0) this.#settings.progress?.(progressEvents);
  }

  #check(when: 'each' | 'often' | 'end'): void {
    for (const invariant of this.#setup.invariants) {
      if (invariant.when !== when) continue;
      const wrong = invariant.check();
      if (wrong !== undefined) this.#world.violate(invariant.id, wrong);
    }
  }

  async #checkEnd(): Promise<void> {
    this.#check('often');
    this.#check('end');
    const { clean, core, mustNotGrow = false } = this.#settings;
    this.#demand('convergence', this.#setup.missing(core));
    this.#demand('stillness', this.#unrest());
    this.#demand('stuck', this.#stuck());
    if (mustNotGrow) this.#demand('growth', growthOf(this.#samples));
    // A permanent fault holds resources and leaves work undone.
    if (clean === undefined || core !== undefined) return;
    this.#demand('end-state', differenceOf(this.#setup.endState(), clean.endState));
    this.#demand('leak', await this.#leak(clean.held));
  }

  /** Counts only what is held at every one of several samples. */
  async #leak(clean: Held): Promise<string | undefined> {
    const { schedule } = this.#world;
    for (let look = 1; ; look += 1) {
      const leak = leakOf(this.#held(), clean);
      if (leak === undefined || look === leakLooks) return leak;
      this.#evaluate(await schedule.runUntil(schedule.now + leakLookMs, () => this.#afterEach()));
    }
  }

  #demand(id: string, wrong: string | undefined): void {
    if (wrong !== undefined) this.#world.violate(id, wrong);
  }

  #unrest(): string | undefined {
    const { kube, schedule } = this.#world;
    const stillMs = schedule.now - kube.changedAt;
    const wantedMs = stillResyncs * this.#setup.resyncMs;
    return stillMs >= wantedMs ? undefined : `the last write was ${stillMs} ms ago, less than ${wantedMs} ms`;
  }

  /** A process that has waited since before the settling time would wait for ever. */
  #stuck(): string | undefined {
    const { schedule } = this.#world;
    const waiting = schedule.waitingSince(schedule.now - this.#scenario.settleMs);
    // Behind a permanent fault any process may wait.
    return waiting.length === 0 || this.#settings.core !== undefined ? undefined : waiting.join('; ');
  }

  #held(): Held {
    const { processes, kube } = this.#world;
    // Sums all processes: which replica leads at the end, and so holds more, is random.
    let [timers, watches] = [0, 0];
    for (const process of processes.values()) {
      timers += process.timers;
      watches += kube.watchesOf(process.name);
    }
    return { timers, watches, ...this.#setup.held?.() };
  }

  #targets(): Targets {
    const { processes, kube } = this.#world;
    const names = [...processes.keys()];
    const services = [kube.name, ...(this.#setup.services ?? [])];
    return {
      processes: names,
      links: names.flatMap((name) => [...services, 'kube-watch'].map((link) => [name, link] as const)),
      services,
      acts: Object.keys(this.#setup.acts ?? {}),
      upgradable: [...processes.values()].filter((process) => process.isUpgradable).map(({ name }) => name),
      schemaChanges: this.#setup.schemaChanges ?? [],
    };
  }
}
