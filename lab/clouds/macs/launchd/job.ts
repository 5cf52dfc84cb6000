/** One job of launchd: its program really runs, is kept alive, and writes to its log files. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Clock } from '../../../../src/platform/clock.ts';
import { sendSignal } from '../processes.ts';
import { isKeptAlive, type JobDefinition } from './definition.ts';
import { startProgram, type ProgramPorts } from './start-program.ts';

export interface JobPorts extends ProgramPorts {
  readonly clock: Clock;
}

export interface JobOrder {
  readonly definition: JobDefinition;
  readonly path: string;
  /** False where Background Task Management throttles the job: it is registered, and nothing starts it by itself. */
  readonly isHonored: boolean;
}

/** EX_CONFIG: what launchd reports when it cannot start a program. */
const cannotStart = 78;

export class Job {
  readonly definition: JobDefinition;
  readonly path: string;
  readonly isHonored: boolean;
  runs = 0;
  /** The exit code or the signal of the last run. */
  lastExit: number | string | undefined;
  readonly #ports: JobPorts;
  #child: ChildProcess | undefined;
  #startedAt = 0;
  #isStopping = false;
  #cancelStart = (): void => undefined;
  #cancelInterval = (): void => undefined;

  constructor({ definition, path, isHonored }: JobOrder, ports: JobPorts) {
    this.definition = definition;
    this.path = path;
    this.isHonored = isHonored;
    this.#ports = ports;
  }

  /** Only while the program runs. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  load(): void {
    if (!this.isHonored) return;
    const { RunAtLoad, KeepAlive } = this.definition;
    if (RunAtLoad || KeepAlive !== false) this.start();
    this.#repeat();
  }

  start(): void {
    if (this.#child !== undefined) return;
    this.#cancelStart();
    this.#isStopping = false;
    this.#startedAt = this.#ports.clock.now();
    this.runs += 1;
    const child = startProgram(this.definition, this.#ports);
    if (child === undefined) return this.#ended(cannotStart);
    this.#child = child;
    child.once('error', () => {
      this.#child = undefined;
      this.#ended(cannotStart);
    });
    child.once('exit', (code, signal) => {
      this.#child = undefined;
      // launchd ends what a job leaves in its process group.
      if (!this.definition.AbandonProcessGroup && child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
      this.#ended(code ?? signal ?? 'SIGKILL');
    });
  }

  /** TERM, and KILL after the time that the job has for its end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#cancelStart();
    const child = this.#child;
    if (child?.pid === undefined) return;
    const { pid } = child;
    const ended = once(child, 'exit');
    sendSignal(pid, 'SIGTERM');
    const cancel = this.#ports.clock.after(this.definition.ExitTimeOut * 1000, () =>
      sendSignal(pid, 'SIGKILL'),
    );
    await ended;
    cancel();
  }

  /** Nothing starts the program any more. */
  unload(): void {
    this.#isStopping = true;
    this.#cancelStart();
    this.#cancelInterval();
  }

  #ended(exit: number | string): void {
    this.lastExit = exit;
    if (this.#isStopping || !this.isHonored || !isKeptAlive(this.definition, exit)) return;
    const { clock } = this.#ports;
    const nextAt = this.#startedAt + this.definition.ThrottleInterval * 1000;
    this.#cancelStart = clock.after(Math.max(0, nextAt - clock.now()), () => this.start());
  }

  #repeat(): void {
    const { StartInterval } = this.definition;
    if (StartInterval === undefined) return;
    this.#cancelInterval = this.#ports.clock.after(StartInterval * 1000, () => {
      this.start();
      this.#repeat();
    });
  }
}
