/** A machine for one runner: a folder that replaces its disk, and the programs of src/guest, run by a shell. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Shell } from './shells.ts';

export const guestFolder = join(import.meta.dirname, '../../src/guest');

export class GuestMachine {
  readonly root: string;
  readonly #shell: Shell;
  readonly #running = new Set<GuestProgram>();

  private constructor(root: string, shell: Shell) {
    this.root = root;
    this.#shell = shell;
  }

  static async open(shell: Shell): Promise<GuestMachine> {
    const machine = new GuestMachine(await mkdtemp(join(tmpdir(), 'guest-')), shell);
    await mkdir(machine.at('tmp'));
    await mkdir(machine.at('etc'));
    await mkdir(machine.at('var/lib/tuist-runner'), { recursive: true });
    return machine;
  }

  at(path: string): string {
    return join(this.root, path);
  }

  async write(path: string, text: string, mode = 0o644): Promise<string> {
    const file = this.at(path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, mode);
    return file;
  }

  run(program: string, env: Readonly<Record<string, string>> = {}): GuestProgram {
    const { command, args } = this.#shell;
    const child = spawn(command, [...args, join(guestFolder, program)], {
      env: { PATH: process.env['PATH'], TMPDIR: this.at('tmp'), TUIST_GUEST_ROOT: this.root, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A separate process group, so that no child outlives the test.
      detached: true,
    });
    const running = new GuestProgram(child);
    this.#running.add(running);
    return running;
  }

  /** Files that programs left in the temporary folder. */
  leftovers(): Promise<readonly string[]> {
    return readdir(this.at('tmp'));
  }

  async close(): Promise<void> {
    for (const program of this.#running) program.killAll();
    await rm(this.root, { recursive: true, force: true });
  }
}

export class GuestProgram {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  readonly #waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'close').then(([code, signal]) => Number(code ?? (signal === null ? -1 : -2)));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.lines.push(line);
        for (const look of this.#waiting) look();
      });
    }
  }

  /** Its exit status; below 0 after a kill. */
  async ended(): Promise<number> {
    return this.#ended;
  }

  /** Resolves when the program has printed this; rejects when the program ends first. */
  async says(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.lines.some((line) => line.includes(text))) resolve();
    };
    this.#waiting.add(look);
    look();
    const end = once(this.#child, 'close').then(() => {
      look();
      throw new Error(
        `the program ended without printing ${JSON.stringify(text)}:\n${this.lines.join('\n')}`,
      );
    });
    await Promise.race([promise, end]);
  }

  /** With all child processes. */
  killAll(): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ESRCH') throw error;
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }
}
