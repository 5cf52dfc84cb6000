/**
 * A process: a permanent name and a sequence of lives. Each life is a new object graph from a factory and knows only
 * what was stored outside of the process.
 */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import { ProcessInstance } from './process-instance.ts';
import type { RandomStreams } from './random-streams.ts';
import type { Schedule } from './schedule.ts';
import type { TraceLine } from './trace.ts';

/** What the world passes to a process. */
export interface ProcessEnv {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Identifies the caller of a service. */
  readonly incarnation: ProcessInstance;
  readonly log: (text: string) => void;
  /** Ends the process like an exit of its own; the process is started again. */
  readonly exit: (why: string) => void;
}

export interface Inhabitant {
  /**
   * Rejects when the process fails, resolves when the process ends by itself. Without it, the process runs until it is
   * stopped.
   */
  readonly done?: Promise<void>;
  /** Handles SIGTERM; the process has ended when the promise resolves. */
  stop?(): void | Promise<void>;
}

export type Factory = (env: ProcessEnv) => Inhabitant;

export interface ProcessPorts {
  readonly schedule: Schedule;
  readonly streams: RandomStreams;
  readonly report: (line: Omit<TraceLine, 'atMs'>) => void;
  /** Called when a process throws where it should not. */
  readonly failed: (process: string, error: unknown) => void;
}

export interface ProcessOptions {
  readonly name: string;
  /** The versions to run; an upgrade goes to the next version, and from the last to the first. */
  readonly versions: readonly [Factory, ...(readonly Factory[])];
  /** The delay before a restart after the process ends by itself. */
  readonly restartMs?: number;
}

/** Undefined: the process is not started again. */
export type RestartMs = number | undefined;

const defaultRestartMs = 1000;

interface Life {
  readonly incarnation: ProcessInstance;
  inhabitant: Inhabitant | undefined;
}

export class SimProcess {
  readonly name: string;
  readonly #options: ProcessOptions;
  readonly #ports: ProcessPorts;
  readonly #draining = new Set<Life>();
  #life: Life | undefined;
  #lives = 0;
  #version = 0;
  #skewMs = 0;
  #cancelRestart: () => void = () => undefined;

  constructor(options: ProcessOptions, ports: ProcessPorts) {
    this.name = options.name;
    this.#options = options;
    this.#ports = ports;
  }

  get isUp(): boolean {
    return this.#life !== undefined;
  }

  get isUpgradable(): boolean {
    return this.#options.versions.length > 1;
  }

  /** The number of pending timers; a dead life has none. */
  get timers(): number {
    const lives = [...this.#draining, ...(this.#life === undefined ? [] : [this.#life])];
    return lives.reduce((sum, { incarnation }) => sum + incarnation.timers, 0);
  }

  start(): boolean {
    if (this.#life !== undefined) return false;
    this.#cancelRestart();
    const life = this.#born();
    this.#life = life;
    this.#report(life, 'starts', this.isUpgradable ? `version ${this.#version + 1}` : '');
    this.#ports.schedule.after(0, `${life.incarnation.label} starts`, () =>
      life.incarnation.deliver(() => this.#begin(life)),
    );
    return true;
  }

  /** Kills the process at once, without a signal. */
  crash(restartMs: RestartMs): boolean {
    const life = this.#life;
    if (life === undefined) return false;
    this.#bury(life, 'crashes');
    this.#startLater(restartMs);
    return true;
  }

  pause(): boolean {
    if (this.#life === undefined || this.#life.incarnation.isPaused) return false;
    this.#life.incarnation.pause();
    this.#report(this.#life, 'pauses', '');
    return true;
  }

  resume(): boolean {
    if (this.#life?.incarnation.isPaused !== true) return false;
    this.#report(this.#life, 'goes on', '');
    this.#life.incarnation.resume();
    return true;
  }

  /** Sends SIGTERM, kills the process when the grace period is over, and restarts the process. */
  stop(graceMs: number, restartMs: RestartMs): boolean {
    const life = this.#life;
    if (life === undefined) return false;
    const lives = this.#lives;
    this.#drain(life, graceMs, () => {
      // The process may have been started again by then, and even ended for good.
      if (lives === this.#lives) this.#startLater(restartMs);
    });
    return true;
  }

  /** Starts the next version at once, beside the old version that drains within its grace period. */
  upgrade(graceMs: number): boolean {
    const life = this.#life;
    if (life === undefined || !this.isUpgradable) return false;
    this.#version = (this.#version + 1) % this.#options.versions.length;
    this.#drain(life, graceMs, () => undefined);
    this.start();
    return true;
  }

  /** Sets the clock of the machine forward or back. */
  jump(ms: number): boolean {
    this.#skewMs += ms;
    this.#ports.report({
      who: this.name,
      what: `clock jumps ${ms} ms`,
      outcome: `off by ${this.#skewMs} ms now`,
    });
    return true;
  }

  setClockRight(): void {
    this.#skewMs = 0;
  }

  #born(): Life {
    this.#lives += 1;
    const incarnation = new ProcessInstance({
      process: this.name,
      number: this.#lives,
      schedule: this.#ports.schedule,
      skewMs: () => this.#skewMs,
      failed: (error) => this.#failed(life, error),
    });
    const life: Life = { incarnation, inhabitant: undefined };
    return life;
  }

  #failed(life: Life, error: unknown): void {
    if (life.incarnation.isDead) return;
    this.#ports.failed(this.name, error);
    this.#ended(life, 'fails');
  }

  #begin(life: Life): void {
    const factory = this.#options.versions[this.#version] ?? this.#options.versions[0];
    const { incarnation } = life;
    life.inhabitant = factory({
      name: this.name,
      clock: incarnation.clock,
      random: this.#ports.streams.stream(`process ${incarnation.label}`),
      incarnation,
      log: (text) => incarnation.isDead || this.#report(life, `says ${text}`, ''),
      exit: (why) => this.#ended(life, `exits: ${why}`),
    });
    life.inhabitant.done?.then(
      () => this.#ended(life, 'ends by itself'),
      (error: unknown) => this.#failed(life, error),
    );
  }

  #ended(life: Life, how: string): void {
    if (life.incarnation.isDead) return;
    this.#bury(life, how);
    if (!this.isUp) this.#startLater(this.#options.restartMs ?? defaultRestartMs);
  }

  #drain(life: Life, graceMs: number, then: () => void): void {
    this.#life = undefined;
    this.#draining.add(life);
    this.#report(life, 'is asked to stop', `${graceMs} ms of grace`);
    const { schedule } = this.#ports;
    const end = (how: string): void => {
      if (life.incarnation.isDead) return;
      schedule.cancel(killer);
      this.#bury(life, how);
      then();
    };
    const killer = schedule.direct(graceMs, `${life.incarnation.label} is killed`, () => end('is killed'));
    life.incarnation.deliver(() => {
      const stopping = Promise.resolve(life.inhabitant?.stop?.());
      stopping.then(
        () => life.incarnation.deliver(() => end('has stopped')),
        (error: unknown) => this.#failed(life, error),
      );
    });
  }

  #bury(life: Life, how: string): void {
    this.#report(life, how, '');
    life.incarnation.kill();
    this.#draining.delete(life);
    if (this.#life === life) this.#life = undefined;
  }

  #startLater(restartMs: RestartMs): void {
    if (restartMs === undefined) return;
    const { schedule } = this.#ports;
    const restart = schedule.direct(restartMs, `${this.name} is started again`, () => void this.start());
    this.#cancelRestart = () => schedule.cancel(restart);
  }

  #report({ incarnation }: Life, what: string, outcome: string): void {
    this.#ports.report({ who: incarnation.label, what, outcome });
  }
}
