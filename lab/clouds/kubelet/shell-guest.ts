/**
 * Pods whose containers are real processes: the programs that runner images ship, run by a real shell, with a folder for
 * a disk and a stand-in for the runner that speaks to a simulated GitHub.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../../src/platform/clock.ts';
import type { Secret } from '../../../src/platform/secret.ts';
import { GuestDisk } from './guest-disk.ts';
import type { Guest, GuestContainer, GuestEnd, GuestPod, GuestSignals, MakeGuest } from './guest.ts';

export interface ShellGuestOptions {
  /** Each Pod has a folder of its own in it while it lives. */
  readonly folder: string;
  readonly clock: Clock;
  readonly githubUrl: string;
  /** Of the control endpoint of the simulated GitHub. */
  readonly controlToken: Secret;
  readonly shell?: string;
  /** Added to the environment of every container. */
  readonly env?: Readonly<Record<string, string>>;
  /** Told what containers print, piece by piece. */
  readonly onOutput?: (pod: GuestPod, text: string) => void;
}

const programs = fileURLToPath(new URL('../../../src/guest/', import.meta.url));
const programOf: Readonly<Record<string, string>> = {
  'linux poller': 'dispatch-poll',
  'linux runner': 'run-runner',
  'darwin runner': 'mac-session',
};
const logMax = 64 * 1024;
/** How often the token is looked after; it is replaced only when that is due. */
const tokenMs = 60_000;

/** Nothing that was started here outlives this process, unless that is killed. */
export function shellGuests(options: ShellGuestOptions): MakeGuest {
  const running = new Set<ChildProcess>();
  process.once('exit', () => {
    for (const child of running) killAll(child);
  });
  return (pod) => new ShellGuest(options, pod, running);
}

class ShellGuest implements Guest {
  readonly #options: ShellGuestOptions;
  readonly #pod: GuestPod;
  readonly #running: Set<ChildProcess>;
  readonly #disk: GuestDisk;
  #isLaid: Promise<void> | undefined;

  constructor(options: ShellGuestOptions, pod: GuestPod, running: Set<ChildProcess>) {
    this.#options = options;
    this.#pod = pod;
    this.#running = running;
    this.#disk = new GuestDisk(join(options.folder, pod.uid), pod.os);
  }

  async run(container: GuestContainer, signals: GuestSignals): Promise<GuestEnd> {
    const program = programOf[`${this.#pod.os} ${container.name}`];
    if (program === undefined) return idle(signals.term);
    this.#isLaid ??= this.#disk.lay();
    await this.#isLaid;
    if (this.#pod.os === 'darwin') await this.#disk.shareEnvironment(container.env);
    const stopToken = await this.#keepToken(container);
    try {
      return await this.#runProgram(program, container, signals);
    } finally {
      stopToken();
    }
  }

  async close(): Promise<void> {
    await this.#disk.remove();
  }

  async #runProgram(program: string, { env }: GuestContainer, signals: GuestSignals): Promise<GuestEnd> {
    const { shell = 'sh' } = this.#options;
    const child = spawn(shell, [join(programs, program)], {
      env: this.#environment(this.#pod.os === 'darwin' ? {} : env),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that it can be killed with whatever it has started.
      detached: true,
    });
    this.#running.add(child);
    const log = this.#logOf(child);
    const term = (): void => void child.kill('SIGTERM');
    const kill = (): void => killAll(child);
    signals.term.addEventListener('abort', term);
    signals.kill.addEventListener('abort', kill);
    if (signals.term.aborted) term();
    if (signals.kill.aborted) kill();
    try {
      const closed = once(child, 'close');
      const [code] = await once(child, 'exit');
      // What it said last is read only after its end, and whatever it has left running could still be saying something.
      killAll(child);
      await closed;
      const exitCode = typeof code === 'number' ? code : 137;
      return { exitCode, log: (await this.#disk.sharedLog()) ?? log() };
    } finally {
      signals.term.removeEventListener('abort', term);
      signals.kill.removeEventListener('abort', kill);
      killAll(child);
      this.#running.delete(child);
    }
  }

  #environment(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      ...env,
      TMPDIR: this.#disk.at('tmp'),
      TUIST_GUEST_ROOT: this.#disk.root,
      TUIST_RUNNER_HOME: this.#disk.runnerHome,
      TUIST_SUDO: '',
      TUIST_ENV_OWNER: '',
      TUIST_SHUTDOWN: this.#disk.at('sbin/shutdown'),
      SIM_GITHUB_URL: this.#options.githubUrl,
      SIM_CONTROL_TOKEN: this.#options.controlToken.reveal(),
      ...this.#options.env,
    };
  }

  #logOf(child: ChildProcess): () => string {
    let log = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        log = `${log}${text}`.slice(-logMax);
        this.#options.onOutput?.(this.#pod, text);
      });
    return () => log;
  }

  /** Puts the token where the program reads it, and a new one before it runs out. The result ends that. */
  async #keepToken({ token }: GuestContainer): Promise<() => void> {
    if (token === undefined) return () => undefined;
    const { clock } = this.#options;
    let cancel: () => void = () => undefined;
    let isOver = false;
    const look = async (): Promise<void> => {
      await this.#disk.putToken(await token());
      if (!isOver) cancel = clock.after(tokenMs, () => void look().catch(again));
    };
    // The one that is there is still good for a while.
    const again = (): void => {
      if (!isOver) cancel = clock.after(tokenMs, () => void look().catch(again));
    };
    await look();
    return () => {
      isOver = true;
      cancel();
    };
  }
}

/** A container that has nothing to do here, such as a sidecar: it runs until it is told to end. */
async function idle(term: AbortSignal): Promise<GuestEnd> {
  const { promise, resolve } = Promise.withResolvers<void>();
  term.addEventListener('abort', () => resolve(), { once: true });
  if (term.aborted) resolve();
  await promise;
  return { exitCode: 0 };
}

/** With whatever it has started. One that has ended is no more, and that is well. */
function killAll({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
  }
}
