/**
 * A child process that outlives the agent. A folder holds its pid, its output and its exit code, so that the next agent
 * attaches to the process; the folder is made before the process starts, so that no process is started twice.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { sleep } from '../../../platform/sleep.ts';
import { unlessMissing } from './unless-missing.ts';

export interface ChildOrder {
  readonly shell: string;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

const lookEveryMs = 250;
/** A process writes its pid at once; a folder without a pid for this long belongs to a process that never started. */
const startMs = 10_000;
const tailMax = 64 * 1024;
const logMax = 4 * 1024 * 1024;

/**
 * Runs the program, passes TERM on to it, and leaves its exit code. The folder is an argument, by which a pid that the
 * system gave to another process is told from this one.
 */
const supervisor = `
folder=$1 program=$2 shell=$3
echo $$ > "$folder/pid.new" && mv "$folder/pid.new" "$folder/pid"
"$shell" "$program" &
child=$!
trap 'kill -TERM $child 2>/dev/null' TERM
while :; do
  wait $child
  code=$?
  kill -0 $child 2>/dev/null || break
done
echo $code > "$folder/exit.new" && mv "$folder/exit.new" "$folder/exit"
`;

export class KeptChild {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onOutput: ((text: string) => void) | undefined;
  #shown = 0;
  #isOurs: Promise<boolean> | undefined;
  #isKilled = false;

  constructor(folder: string, clock: Clock, onOutput?: (text: string) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onOutput = onOutput;
  }

  get wasStarted(): boolean {
    return existsSync(this.#folder);
  }

  async start({ shell, program, env }: ChildOrder): Promise<void> {
    await mkdir(this.#folder, { mode: 0o700 });
    const log = await open(this.#at('log'), 'a', 0o600);
    try {
      // A session of its own, so that neither the end of the agent nor launchd ends the process.
      const child = spawn('/bin/sh', ['-c', supervisor, 'muster-pod', this.#folder, program, shell], {
        env: { ...env },
        stdio: ['ignore', log.fd, log.fd],
        detached: true,
      });
      const failed = new Promise<never>((_, reject) => void child.once('error', reject));
      const spawned = new Promise<void>((resolve) => void child.once('spawn', resolve));
      await Promise.race([spawned, failed]);
      child.unref();
    } finally {
      await log.close();
    }
  }

  /** Resolves with the exit code, with 137 for a process that was killed, or with undefined once the signal aborts. */
  async ended(signal: AbortSignal): Promise<number | undefined> {
    const began = this.#clock.now();
    for (;;) {
      // The exit code is written after all output, so it is read first.
      const code = await this.#exitCode();
      await this.#passOutputOn();
      if (code !== undefined) return code;
      const pid = await this.#pid();
      const isLost =
        pid === undefined
          ? this.#clock.now() - began > startMs
          : this.#isKilled || !(await this.#isAlive(pid));
      // The process may have ended between the two reads.
      if (isLost) {
        const lastCode = (await this.#exitCode()) ?? 137;
        await this.#passOutputOn();
        return lastCode;
      }
      await sleep(this.#clock, lookEveryMs, signal);
      if (signal.aborted) return undefined;
    }
  }

  /** TERM reaches the program alone; KILL ends the program with everything that it started. */
  async signal(name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const pid = await this.#pid();
    if (pid === undefined || !(await this.#isAlive(pid))) return;
    this.#isKilled ||= name === 'SIGKILL';
    try {
      process.kill(name === 'SIGKILL' ? -pid : pid, name);
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
    }
  }

  async tail(): Promise<string> {
    const older = await this.#read('log.older');
    return `${older}${await this.#read('log')}`.slice(-tailMax);
  }

  async #passOutputOn(): Promise<void> {
    const { size } = (await unlessMissing(stat(this.#at('log')))) ?? { size: 0 };
    if (this.#onOutput !== undefined && size > this.#shown) {
      const text = (await readFile(this.#at('log'))).subarray(this.#shown).toString();
      this.#shown = size;
      this.#onOutput(text);
    }
    if (size <= logMax) return;
    await writeFile(this.#at('log.older'), await this.tail(), { mode: 0o600 });
    await truncate(this.#at('log'));
    this.#shown = 0;
  }

  async #exitCode(): Promise<number | undefined> {
    const text = await this.#read('exit');
    return text === '' ? undefined : Number.parseInt(text, 10);
  }

  async #pid(): Promise<number | undefined> {
    const text = await this.#read('pid');
    return text === '' ? undefined : Number.parseInt(text, 10);
  }

  async #isAlive(pid: number): Promise<boolean> {
    this.#isOurs ??= this.#hasOurArguments(pid);
    if (!(await this.#isOurs)) return false;
    try {
      return process.kill(pid, 0);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
      throw error;
    }
  }

  /** Asked once: the system may have given the pid to another process while no agent ran. */
  async #hasOurArguments(pid: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    execFile('ps', ['-ww', '-o', 'command=', '-p', String(pid)], (_error, stdout) =>
      resolve(stdout.includes(this.#folder)),
    );
    return promise;
  }

  async #read(name: string): Promise<string> {
    return (await unlessMissing(readFile(this.#at(name), 'utf8'))) ?? '';
  }

  #at(name: string): string {
    return join(this.#folder, name);
  }
}
