/**
 * The command that wipes a host: a program of the owner, which gets the host in its environment. No shell interprets
 * any value. The output goes to the log by lines, up to a limit.
 */
import type { StaticHost } from './static-host.ts';
import type { WipeHook } from './wipes.ts';

export interface Command {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the usual environment of a program. */
  readonly env: Readonly<Record<string, string>>;
  /** After this time the process group is ended. */
  readonly deadlineMs: number;
  readonly stop: AbortSignal;
  /** Called with each piece of output on stdout and stderr. */
  readonly onOutput: (text: string) => void;
}

/** Resolves on success; rejects with a message for people on failure. */
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

/** No password: other users who list processes may see an environment. */
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

/** Splits the output into lines. Long lines are cut, and lines over the limit are dropped. */
class Lines {
  readonly #log: (line: string) => void;
  #rest = '';
  #lineCount = 0;

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  add(text: string): void {
    const lines = `${this.#rest}${text}`.split(/\r?\n|\r/);
    // Limits the memory for a line without an end.
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
    if (this.#lineCount > linesMax) this.#log(`(more than ${linesMax} lines of output; the rest is dropped)`);
    else this.#log(line.length > lineMax ? `${line.slice(0, lineMax)}…` : line);
  }
}
