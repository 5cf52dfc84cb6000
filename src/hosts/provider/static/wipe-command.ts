/**
 * The command that wipes a host: a program of the owner, told by its environment which host it is about. No shell reads
 * anything on the way. What it prints goes to the log, line by line, as far as there is room for it.
 */
import type { StaticHost } from './static-host.ts';
import type { WipeHook } from './wipes.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside what every program is given. */
  readonly env: Readonly<Record<string, string>>;
  /** After this it is ended, with whatever it started. */
  readonly deadlineMs: number;
  readonly stop: AbortSignal;
  /** Told what it prints on either output, piece by piece. */
  readonly onOutput: (text: string) => void;
}

/** Resolves when it ended well; rejects, in words for people, when it did not. */
export type RunCommand = (command: Command) => Promise<void>;

export interface WipeCommandOptions {
  readonly command: string;
  readonly deadlineMs: number;
  readonly run: RunCommand;
  readonly onLine: (hostId: string, line: string) => void;
}

const lineMax = 500;
const linesMax = 200;

export function wipeCommand({ command, deadlineMs, run, onLine }: WipeCommandOptions): WipeHook {
  return {
    wipe: async (host, stop) => {
      const lines = new Lines((line) => onLine(host.id, line));
      try {
        await run({
          command,
          args: [],
          env: environmentOf(host),
          deadlineMs,
          stop,
          onOutput: (text) => lines.add(text),
        });
      } finally {
        lines.end();
      }
    },
  };
}

/** No password: whoever lists processes may see an environment. */
function environmentOf({ id, zone, name, type, ip, os, sshUsername }: StaticHost) {
  return {
    MUSTER_HOST_ID: id,
    MUSTER_HOST_ADDRESS: ip,
    MUSTER_HOST_ZONE: zone,
    MUSTER_HOST_LISTED_NAME: name,
    MUSTER_HOST_TYPE: type,
    MUSTER_HOST_OS: os.name,
    MUSTER_HOST_SSH_USERNAME: sshUsername,
  };
}

/** Cuts what comes in pieces into lines; too long ones, and those after too many, are cut off. */
class Lines {
  readonly #log: (line: string) => void;
  #rest = '';
  #lineCount = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  add(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r?\n|\r/);
    // A line without an end must not take all the memory there is.
    this.#rest = (lines.pop() ?? '').slice(0, lineMax + 1);
    for (const line of lines) this.#line(line);
  }

  end(): void {
    this.#line(this.#rest);
    this.#rest = '';
  }

  #line(line: string): void {
    if (line.trim() === '' || this.#lineCount > linesMax) return;
    this.#lineCount += 1;
    if (this.#lineCount > linesMax)
      this.#log(`(it prints more than ${linesMax} lines; the rest is not kept)`);
    else this.#log(line.length > lineMax ? `${line.slice(0, lineMax)}…` : line);
  }
}
