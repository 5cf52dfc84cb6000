/**
 * The runners: each is registered for one job, starts with its configuration and gets any queued job that its labels
 * match, not necessarily the job of its registration. After one job the runner is gone.
 */
import type { Random } from '../../../src/platform/random.ts';
import { oneOf } from '../../simulator/engine/random-streams.ts';
import type { Agenda } from './timers.ts';
import { drawn, ghostLifeMs, registrationLifeMs, type GitHubTiming } from './timing.ts';
import type { Ids } from './ids.ts';
import type { JobBoard } from './jobs.ts';
import { covers, isSameName, type Conclusion, type Job, type Runner, type RunnerScope } from './records.ts';

export interface RunnerOrder {
  readonly name: string;
  readonly labels: readonly string[];
  readonly workFolder: string;
  /** By default the next id. */
  readonly id?: string;
}

/** The fate of a runner whose configuration is started. */
export interface RunnerScript {
  /** `never-comes`: the runner hangs before GitHub sees it. `dies`: the runner stops in the middle of its job. */
  readonly fate: 'works' | 'never-comes' | 'dies';
  readonly comesAfterMs: number;
  readonly jobMs: number;
  readonly conclusion: Conclusion;
  /** The delay until GitHub marks a finished job as completed. */
  readonly reportsAfterMs: number;
  /** Called when the process of the runner has ended. */
  readonly ended?: (job: Job | undefined) => void;
}

export interface HallPorts {
  readonly agenda: Agenda;
  readonly random: Random;
  readonly ids: Ids;
  readonly board: JobBoard;
  readonly timing: () => GitHubTiming;
}

interface Shift {
  readonly runner: Runner;
  readonly script: RunnerScript;
  job: Job | undefined;
  /** The process has ended, whatever GitHub shows. */
  hasEnded: boolean;
}

export class RunnerHall {
  readonly #ports: HallPorts;
  readonly #runners = new Map<string, Runner>();
  readonly #shifts = new Map<Runner, Shift>();
  #preferred: Job | undefined;

  constructor(ports: HallPorts) {
    this.#ports = ports;
  }

  /** The runners that GitHub shows. */
  runners(scope: RunnerScope): readonly Runner[] {
    this.#dropGhosts();
    return [...this.#runners.values()].filter((runner) => isSameScope(runner.scope, scope));
  }

  get all(): readonly Runner[] {
    return [...this.#runners.values()];
  }

  /** Undefined when the name is in use: a registration reserves its name at once. */
  register(scope: RunnerScope, order: RunnerOrder): Runner | undefined {
    if (this.runners(scope).some(({ name }) => isSameName(name, order.name))) return undefined;
    const { ids, random, agenda } = this.#ports;
    const id = order.id ?? ids.next('runner');
    const key = Array.from({ length: 40 }, () => Math.floor(random.next() * 16).toString(16)).join('');
    const settings = { agentId: id, agentName: order.name, ephemeral: true };
    const config = { '.runner': encoded(settings), '.credentials': encoded({ key }) };
    const jitConfig = encoded(config);
    const registeredAt = agenda.now();
    const runner: Runner = { ...order, id, scope, jitConfig, registeredAt, state: 'registered' };
    this.#runners.set(id, runner);
    return runner;
  }

  /** `busy` for a busy runner, `unknown` without such a runner in the scope. */
  remove(scope: RunnerScope, id: string): 'removed' | 'busy' | 'unknown' {
    const runner = this.runners(scope).find((one) => one.id === id);
    if (runner === undefined) return 'unknown';
    if (runner.state === 'busy' || runner.state === 'lost') return 'busy';
    this.#remove(runner);
    return 'removed';
  }

  /** Starts a runner with this configuration. Throws when GitHub would refuse it. */
  start(jitConfig: string, script: RunnerScript): Runner {
    this.#dropGhosts();
    const { agenda } = this.#ports;
    const runner = this.all.find((one) => one.jitConfig === jitConfig);
    if (runner === undefined) throw new Error('no runner was registered with this configuration');
    if (runner.state !== 'registered' || this.#shifts.has(runner))
      throw new Error(`runner ${runner.name} was started already`);
    if (runner.registeredAt + registrationLifeMs < agenda.now())
      throw new Error(`the registration of ${runner.name} has expired`);
    const shift = { runner, script, job: undefined, hasEnded: false };
    this.#shifts.set(runner, shift);
    if (script.fate !== 'never-comes') agenda.after(script.comesAfterMs, () => this.#come(shift));
    return runner;
  }

  /** The state as seen on the machine: a runner that is unknown or was released has ended too. */
  look(id: string): Pick<Runner, 'state'> & { readonly hasEnded: boolean } {
    const runner = this.#runners.get(id);
    if (runner === undefined) return { state: 'gone', hasEnded: true };
    return { state: runner.state, hasEnded: this.#shifts.get(runner)?.hasEnded ?? false };
  }

  /** The machine of the runner is gone, whatever it was doing. */
  kill(id: string): void {
    const runner = this.#runners.get(id);
    const shift = runner && this.#shifts.get(runner);
    if (shift !== undefined) this.#die(shift);
  }

  /** Called whenever a job or a runner may have become free. */
  place(): void {
    const { agenda, random, timing } = this.#ports;
    agenda.after(drawn(random, timing().placementMs), () => this.#placeNow());
  }

  /** The next matching runner gets this job. */
  prefer(job: Job): void {
    this.#preferred = job;
  }

  /** The job was canceled: its runner stops too. */
  stopWork(job: Job): void {
    for (const shift of this.#shifts.values()) if (shift.job === job) this.#remove(shift.runner);
  }

  #placeNow(): void {
    const { board, random } = this.#ports;
    for (const shift of this.#shifts.values()) {
      if (shift.runner.state !== 'online') continue;
      const fitting = board.queued.filter((job) => fits(shift.runner, job));
      const preferred = fitting.find((job) => job === this.#preferred);
      if (preferred !== undefined) this.#preferred = undefined;
      if (fitting.length > 0) this.#work(shift, preferred ?? oneOf(random, fitting));
    }
  }

  #come({ runner, hasEnded }: Shift): void {
    if (runner.state !== 'registered' || hasEnded) return;
    runner.state = 'online';
    this.place();
  }

  #work(shift: Shift, job: Job): void {
    const { board, agenda } = this.#ports;
    const { runner, script } = shift;
    shift.job = job;
    runner.state = 'busy';
    board.begin(job, runner);
    agenda.after(script.jobMs, () => {
      if (shift.hasEnded) return;
      if (script.fate === 'dies') return this.#die(shift);
      endProcess(shift);
      agenda.after(script.reportsAfterMs, () => {
        board.end(job, script.conclusion);
        this.#remove(runner);
      });
    });
  }

  #die(shift: Shift): void {
    const { agenda, board, timing } = this.#ports;
    const { runner, job } = shift;
    if (shift.hasEnded) return;
    endProcess(shift);
    runner.state = job === undefined ? 'registered' : 'lost';
    if (job === undefined) return;
    agenda.after(timing().lostRunnerMs, () => {
      board.end(job, 'failure');
      this.#remove(runner);
    });
  }

  #remove(runner: Runner): void {
    const shift = this.#shifts.get(runner);
    // A runner that GitHub never saw does not notice its removal.
    if (shift !== undefined && runner.state !== 'registered') endProcess(shift);
    runner.state = 'gone';
    this.#runners.delete(runner.id);
    this.#shifts.delete(runner);
  }

  #dropGhosts(): void {
    const now = this.#ports.agenda.now();
    for (const runner of this.#runners.values())
      if (runner.state === 'registered' && runner.registeredAt + ghostLifeMs < now) this.#remove(runner);
  }
}

function endProcess(shift: Shift): void {
  if (shift.hasEnded) return;
  shift.hasEnded = true;
  shift.script.ended?.(shift.job);
}

function fits({ scope, labels }: Runner, job: Job): boolean {
  const have = new Set(labels.map((label) => label.toLowerCase()));
  return covers(scope, job.repository) && job.labels.every((label) => have.has(label.toLowerCase()));
}

function isSameScope(a: RunnerScope, b: RunnerScope): boolean {
  return a.kind === b.kind && isSameName(a.name, b.name);
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
