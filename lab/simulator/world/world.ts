/** A simulated world: time, randomness, processes, services, and violations. Everything comes from one seed. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Effect } from '../engine/call.ts';
import { Calls, type EffectFaults } from '../engine/calls.ts';
import { serviceFaultKinds, type EffectFault } from '../faults/effect-fault.ts';
import type { PlanEntry } from '../faults/fault-plan.ts';
import { KubeService, type KubeOptions } from './kube-service.ts';
import { Links } from './network-link.ts';
import { Budgets, type Budget } from '../checkers/budgets.ts';
import { Canaries } from '../checkers/secret-leaks.ts';
import type { Violation } from '../checkers/invariant.ts';
import { ReachabilityCounts } from '../checkers/reachability.ts';
import { SimProcess, type ProcessOptions } from '../engine/process.ts';
import { RandomStreams } from '../engine/random-streams.ts';
import { Schedule, type Drain } from '../engine/schedule.ts';
import { Trace, type TraceLine } from '../engine/trace.ts';

export type OnSent = (effect: Effect, atMs: number) => void;

export interface WorldOptions {
  readonly seed: number;
  readonly drain: Drain;
  /** The number of trace lines to keep. */
  readonly linesMax?: number;
  /** Called for each effect as it is sent. */
  readonly sent?: OnSent;
}

/** An arbitrary fixed day. */
const startsAt = Date.UTC(2026, 0, 1);
const defaultLinesMax = 200;

export class World {
  readonly streams: RandomStreams;
  readonly schedule: Schedule;
  readonly trace: Trace;
  readonly links: Links;
  readonly calls: Calls;
  readonly canaries: Canaries;
  readonly reachability = new ReachabilityCounts();
  readonly processes = new Map<string, SimProcess>();
  readonly kube: KubeService;
  /** The faults so far. */
  readonly faults: PlanEntry[] = [];
  #violation: Violation | undefined;
  #source: EffectFaults = { decide: () => [] };
  #budgets: Budgets | undefined;
  #expected = new Set<string>();
  readonly #onSent: OnSent | undefined;

  constructor(options: WorldOptions, kube: KubeOptions = {}) {
    const { seed, drain, linesMax = defaultLinesMax } = options;
    this.#onSent = options.sent;
    this.streams = new RandomStreams(seed);
    this.canaries = new Canaries(this.streams.stream('canaries'), (message) =>
      this.violate('secret', message),
    );
    this.trace = new Trace({ startsAt, linesMax, seen: (line) => this.#lookAt(line) });
    this.schedule = new Schedule({
      startsAt,
      ties: this.streams.stream('ties'),
      drain,
      seen: ({ at, label }) => this.trace.event(at, label),
    });
    this.links = new Links(this.schedule);
    this.calls = new Calls({
      schedule: this.schedule,
      streams: this.streams,
      links: this.links,
      report: this.report,
      failed: this.fail,
      crash: (process, restartMs) => void this.processes.get(process)?.crash(restartMs),
      faults: { decide: (effect) => this.#source.decide(effect) },
      sent: (effect, faults) => this.#sent(effect, faults),
    });
    this.kube = new KubeService(
      {
        schedule: this.schedule,
        streams: this.streams,
        links: this.links,
        calls: this.calls,
        report: this.report,
        did: (kind) => this.reachability.happened(`fault ${kind}`),
        sink: (name, text) => this.canaries.look(name, text),
      },
      kube,
    );
  }

  /** True time, for services and for the workload; processes have their own clocks. */
  get clock(): Clock {
    return this.schedule.clock('world');
  }

  get passedMs(): number {
    return this.schedule.now - startsAt;
  }

  /** The first violation; the run ends with it. */
  get violation(): Violation | undefined {
    return this.#violation;
  }

  /** Returns the stream of that name. */
  random(name: string): Random {
    return this.streams.stream(name);
  }

  readonly report = (line: Omit<TraceLine, 'atMs'>): void => this.trace.line(this.schedule.now, line);

  /** Handles an uncaught error. */
  readonly fail = (who: string, error: unknown): void => this.violate('failure', `${who}: ${textOf(error)}`);

  addProcess(options: ProcessOptions): SimProcess {
    const made = new SimProcess(options, {
      schedule: this.schedule,
      streams: this.streams,
      report: this.report,
      failed: this.fail,
    });
    this.processes.set(options.name, made);
    made.start();
    return made;
  }

  /** Sets the source of effect faults from now on. */
  useFaults(source: EffectFaults): void {
    this.#source = source;
  }

  useBudgets(budgets: readonly Budget[]): void {
    this.#budgets = new Budgets(budgets, (message) => this.violate('budget', message));
  }

  /** Only the first violation counts: later ones may follow from it. */
  violate(id: string, message: string): void {
    if (this.#violation !== undefined) return;
    this.#violation = { id, atMs: this.passedMs, message };
    this.report({ who: '!!', what: id, outcome: message });
    this.schedule.halt();
  }

  /**
   * Declares fault kinds that must occur at least once; a service's own kinds count only once a request supports them.
   */
  expectFaults(kinds: readonly string[]): void {
    const ofServices = new Set<string>(serviceFaultKinds);
    this.reachability.declare(
      ...kinds.filter((kind) => !ofServices.has(kind)).map((kind) => `fault ${kind}`),
    );
    this.#expected = new Set(kinds.filter((kind) => ofServices.has(kind)));
  }

  #expect(kinds: readonly string[]): void {
    for (const kind of kinds) if (this.#expected.delete(kind)) this.reachability.declare(`fault ${kind}`);
  }

  #sent(effect: Effect, faults: readonly EffectFault[]): void {
    if (this.#expected.size > 0) this.#expect(effect.kinds);
    this.#onSent?.(effect, this.passedMs);
    this.#budgets?.sent(effect, this.schedule.now);
    for (const fault of faults) {
      this.faults.push({ on: effect.id, fault });
      // A fault of a service counts when it took effect: a watch may end before its drop.
      if (!effect.kinds.some((kind) => kind === fault.kind))
        this.reachability.happened(`fault ${fault.kind}`);
    }
  }

  #lookAt({ what, outcome }: TraceLine): void {
    this.canaries.look('the trace', () => `${what} ${outcome}`);
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
