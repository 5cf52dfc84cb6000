/** One command over SSH: a real shell in a process group of its own, with all streams passed through in pieces. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ServerChannel } from 'ssh2';
import type { Clock } from '../../../src/platform/clock.ts';
import type { OpenCommand } from './journal.ts';
import { sendSignal } from './processes.ts';
import { headerIn, watchHeader } from './script-header.ts';

export interface ShellOrder {
  readonly command: string;
  /** The login shell, which runs the command with `-c`, as sshd does. */
  readonly shell: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly journal: OpenCommand;
}

/** How long a script may clean up after its connection is gone. */
const cleanUpMs = 1000;
const signals = ['HUP', 'INT', 'KILL', 'QUIT', 'TERM', 'USR1', 'USR2'] as const;

export class ShellSession {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #clock: Clock;
  #isOver = false;
  #isEnding = false;

  constructor(channel: ServerChannel, { command, shell, env, cwd, clock, journal }: ShellOrder) {
    this.#clock = clock;
    const child = spawn(shell, ['-c', command], {
      argv0: basename(shell),
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    const header = headerIn(command);
    if (header !== undefined) journal.describe(header);
    const stdin = watchHeader((found) => journal.describe(found));
    channel.pipe(stdin).pipe(child.stdin);
    // The command may end, or close its stdin, before it has read everything; the rest is dropped.
    child.stdin.on('error', () => stdin.unpipe(child.stdin).resume());
    child.stdout.pipe(channel, { end: false });
    child.stderr.pipe(channel.stderr, { end: false });
    child.once('close', (code, signal) => {
      this.#isOver = true;
      journal.end(code ?? signal ?? 'SIGKILL');
      finish(channel, code ?? signal);
    });
  }

  /** The connection is gone: hangs up on the process group, and ends what does not end by itself. */
  end(): void {
    if (this.#isOver || this.#isEnding) return;
    this.#isEnding = true;
    const { stdin, stdout, stderr } = this.#child;
    stdin.destroy();
    // Read on, because a shell that cannot write its last words dies before it cleans up.
    for (const stream of [stdout, stderr]) stream.unpipe().resume();
    this.#signal('SIGHUP');
    const cancel = this.#clock.after(cleanUpMs, () => this.#signal('SIGKILL'));
    this.#child.once('exit', cancel);
  }

  /** A request of the client, with the name that SSH uses, such as `TERM`. */
  signal(name: string): void {
    const known = signals.find((one) => one === name);
    if (known !== undefined) this.#signal(`SIG${known}`);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid !== undefined && !this.#isOver) sendSignal(-pid, signal);
  }
}

/** The library closes the channel although stderr may still wait for its window, so that comes first. */
function finish(channel: ServerChannel, exit: number | NodeJS.Signals | null): void {
  channel.stderr.end(() => {
    if (typeof exit === 'number') channel.exit(exit);
    else channel.exit((exit ?? 'SIGKILL').slice('SIG'.length));
    channel.end();
  });
}
