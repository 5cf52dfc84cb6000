/** Runs a scenario many times, and turns each failure into a report that a person can read and run again. */
import type { PlanFile } from '../faults/fault-plan.ts';
import { noFaults, plannedFaults } from '../faults/fault-plan.ts';
import type { Job } from './jobs.ts';
import type { Violation } from '../checkers/invariant.ts';
import { ReachabilityCounts } from '../checkers/reachability.ts';
import { runOnce, type RunResult, type RunSettings, type Unhandled } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { Drain } from './schedule.ts';
import { shrink } from '../faults/shrink.ts';
import { durationText } from './trace.ts';

export interface RunnerOptions {
  readonly scenario: Scenario;
  readonly bug: string | undefined;
  /** One run in so many is made twice, to check determinism. */
  readonly doubleEvery?: number | undefined;
  /** The number of failures after which the runner stops. */
  readonly failuresMax?: number | undefined;
}

export interface RunnerPorts {
  readonly drain: Drain;
  /** Called after each run, and from time to time during a long run. */
  readonly progress: (done: Done) => void;
  /** Returns true when the user asks to stop; the current run is then aborted. */
  readonly isStopped: () => boolean;
  readonly unhandled?: Unhandled;
}

class Stopped extends Error {}

export interface Done {
  readonly runs: number;
  readonly events: number;
  readonly failed: number;
  /** The first failure of each invariant, one line each: shrinking may then take minutes. */
  readonly broken: readonly string[];
}

export interface Failure {
  readonly seed: number;
  readonly label: string;
  readonly violation: Violation;
  /** The number of faults up to the failure. */
  readonly faultCount: number;
  /** The smallest plan with the same violation; undefined for a further failure of the same invariant. */
  readonly shrunk: PlanFile | undefined;
  readonly probes: number;
  readonly timeline: readonly string[];
}

export interface Summary {
  readonly scenario: string;
  readonly runs: number;
  readonly events: number;
  readonly virtualHours: number;
  /** How many runs were made twice, to check determinism. */
  readonly doubled: number;
  /** The number of faults in all runs, without the runs that shrink a plan. */
  readonly faults: number;
  readonly failures: readonly Failure[];
  readonly reachability: Readonly<Record<string, number>>;
  readonly transcripts: Readonly<Record<string, readonly string[]>>;
}

const timelineLines = 40;
const transcriptLines = 100_000;
const probesMax = 400;
const defaultDoubleEvery = 50;
const hourMs = 3_600_000;
const marginMs = hourMs;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #ports: RunnerPorts;
  readonly #failures: Failure[] = [];
  readonly #broken = new Map<string, string>();
  readonly #reachability = new ReachabilityCounts();
  readonly #transcripts = new Map<string, readonly string[]>();
  #clean: { readonly key: string; readonly seed: number; readonly result: RunResult } | undefined;
  #runs = 0;
  #brokenRehearsals = 0;
  #events = 0;
  #virtualMs = 0;
  #doubled = 0;
  #faults = 0;

  constructor(options: RunnerOptions, ports: RunnerPorts) {
    this.#options = options;
    this.#ports = ports;
  }

  /** Makes the reference run: without faults and without a planted mistake. */
  async rehearse(
    { seed, hours }: Pick<RunSettings, 'seed' | 'hours'>,
    sent?: RunSettings['sent'],
  ): Promise<RunResult> {
    const key = this.#options.scenario.endsAlike === true ? `${hours}` : `${seed} ${hours}`;
    if (sent === undefined && this.#clean?.key === key && mayServe(this.#clean, seed))
      return this.#clean.result;
    const result = await runOnce(this.#options.scenario, {
      seed,
      hours,
      drain: this.#ports.drain,
      faults: () => noFaults,
      progress: () => this.#report(),
      ...(sent !== undefined && { sent }),
    });
    this.#clean = { key, seed, result };
    return result;
  }

  /** Computing the jobs may need a run as well; that run can be stopped like any other. */
  async run(jobs: readonly Job[] | Promise<readonly Job[]>): Promise<Summary> {
    try {
      for (const job of await jobs) {
        if (this.#failures.length >= (this.#options.failuresMax ?? Infinity)) break;
        this.#report();
        await this.#runJob(job);
      }
      this.#report();
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
    return {
      scenario: this.#options.scenario.name,
      runs: this.#runs + this.#brokenRehearsals,
      events: this.#events,
      virtualHours: this.#virtualMs / hourMs,
      doubled: this.#doubled,
      faults: this.#faults,
      failures: this.#failures,
      reachability: this.#reachability.rows,
      transcripts: Object.fromEntries(this.#transcripts),
    };
  }

  async #runJob(job: Job): Promise<void> {
    const clean = await this.rehearse(job);
    if (clean.violation !== undefined && this.#options.bug === undefined) {
      this.#brokenRehearsals += 1;
      this.#note(failureOf(job, clean, clean.violation));
      return;
    }
    const result = await this.#once(job, {});
    this.#runs += 1;
    this.#virtualMs += job.hours * hourMs;
    this.#faults += result.faults.length;
    this.#reachability.add(result.reachability);
    if (job.wantsTranscript === true) this.#transcripts.set(job.label, result.timeline);
    const violation = result.violation ?? (await this.#twiceTheSame(job, result));
    if (violation !== undefined) await this.#fail(job, result, violation);
  }

  async #once(job: Job, changes: Partial<RunSettings>): Promise<RunResult> {
    let reported = 0;
    const result = await runOnce(this.#options.scenario, {
      ...job,
      bug: this.#options.bug,
      drain: this.#ports.drain,
      unhandled: this.#ports.unhandled,
      clean: await this.rehearse(job),
      linesMax: job.wantsTranscript === true ? transcriptLines : timelineLines,
      progress: (events) => {
        reported += events;
        this.#events += events;
        this.#report();
      },
      ...changes,
    });
    this.#events += result.events - reported;
    return result;
  }

  async #twiceTheSame(job: Job, result: RunResult): Promise<Violation | undefined> {
    const { doubleEvery = defaultDoubleEvery } = this.#options;
    if ((this.#runs - 1) % doubleEvery !== 0) return undefined;
    this.#doubled += 1;
    const again = await this.#once(job, {});
    if (again.hash === result.hash) return undefined;
    return { id: 'determinism', atMs: 0, message: `the hash was ${result.hash}, then ${again.hash}` };
  }

  async #fail(job: Job, result: RunResult, violation: Violation): Promise<void> {
    const isKnown = this.#failures.some((failure) => failure.violation.id === violation.id);
    this.#note(failureOf(job, result, violation));
    this.#report();
    if (isKnown || violation.id === 'determinism') return;
    this.#failures[this.#failures.length - 1] = await this.#shrunk(job, result, violation);
  }

  #note(failure: Failure): void {
    const { id } = failure.violation;
    if (!this.#broken.has(id)) this.#broken.set(id, brokenText(failure));
    this.#failures.push(failure);
  }

  /** Each try is a run of a smaller plan; the last run of the smallest plan gives the timeline. */
  async #shrunk(job: Job, result: RunResult, violation: Violation): Promise<Failure> {
    // With fewer faults the violation appears at about the same time; a run need not continue for long after it.
    const isDuringFaults = violation.atMs < job.hours * hourMs;
    const endsAtMs = isDuringFaults ? violation.atMs + marginMs : undefined;
    const { items, probes } = await shrink({
      items: result.faults,
      breaks: async (faults) => {
        this.#report();
        const probe = await this.#once(job, { endsAtMs, faults: () => plannedFaults(faults) });
        return probe.violation?.id === violation.id;
      },
      probesMax,
    });
    const last = await this.#once(job, { faults: () => plannedFaults(items) });
    const shrunk: PlanFile = {
      scenario: this.#options.scenario.name,
      seed: job.seed,
      hours: job.hours,
      ...(this.#options.bug !== undefined && { bug: this.#options.bug }),
      ...(job.core !== undefined && { core: job.core }),
      faults: [...items],
    };
    return {
      ...failureOf(job, last, last.violation ?? violation),
      faultCount: result.faults.length,
      shrunk,
      probes,
    };
  }

  #report(): void {
    if (this.#ports.isStopped()) throw new Stopped();
    this.#ports.progress({
      runs: this.#runs,
      events: this.#events,
      failed: this.#failures.length,
      broken: [...this.#broken.values()],
    });
  }
}

/** A reference run that broke is a failure of its own seed. Every other seed gets a new reference run. */
function mayServe(clean: { readonly seed: number; readonly result: RunResult }, seed: number): boolean {
  return clean.result.violation === undefined || clean.seed === seed;
}

export function brokenText({ label, violation }: Pick<Failure, 'label' | 'violation'>): string {
  return `${label} broke ${violation.id} after ${durationText(violation.atMs)}: ${violation.message}`;
}

function failureOf({ seed, label }: Job, result: RunResult, violation: Violation): Failure {
  return {
    seed,
    label,
    violation,
    faultCount: result.faults.length,
    shrunk: undefined,
    probes: 0,
    timeline: result.timeline.slice(-timelineLines),
  };
}
