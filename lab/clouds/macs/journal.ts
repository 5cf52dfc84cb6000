/** What was done to a simulated Mac, in order: the commands over SSH and each change that a command of macOS made. */

/** What a script declares in its header. A command without a header is `unknown`. */
export type Effect = 'reads' | 'changes' | 'unknown';

export interface CommandEntry {
  readonly kind: 'command';
  /** Of the header; the command line where there is none. */
  readonly name: string;
  readonly effect: Effect;
  /** The exit code or the signal; undefined while the command runs. */
  readonly exit?: number | string;
}

export interface ChangeEntry {
  readonly kind: 'change';
  /** The command of macOS, such as `launchctl`. */
  readonly by: string;
  /** Such as `bootstrap system/dev.muster.agent`. */
  readonly what: string;
  /** The job of launchd that made the change by itself; empty for a change over SSH. */
  readonly job: string;
}

export type JournalEntry = CommandEntry | ChangeEntry;

export interface OpenCommand {
  describe(header: ScriptHeader): void;
  end(exit: number | string): void;
}

export interface ScriptHeader {
  readonly name: string;
  readonly effect: 'reads' | 'changes';
}

export class Journal {
  readonly #entries: JournalEntry[] = [];
  readonly #onChange: () => void;

  /** `onChange` runs when a change is done: of a command of macOS, or a whole script that changes. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries;
  }

  /** The scripts that declare a change, and the changes that came over SSH. */
  changes(): readonly JournalEntry[] {
    return this.#entries.filter((entry) =>
      entry.kind === 'change' ? entry.job === '' : entry.effect === 'changes',
    );
  }

  /** One line for each entry, such as `changes install-agent` or `launchctl bootstrap system/dev.muster.agent`. */
  lines(entries: readonly JournalEntry[] = this.#entries): readonly string[] {
    return entries.map((entry) =>
      entry.kind === 'change' ? `${entry.by} ${entry.what}` : `${entry.effect} ${entry.name}`,
    );
  }

  clear(): void {
    this.#entries.length = 0;
  }

  change(by: string, what: string, job = ''): void {
    this.#entries.push({ kind: 'change', by, what, job });
    if (job === '') this.#onChange();
  }

  /** The header arrives on stdin, so after the entry. */
  command(line: string): OpenCommand {
    let entry: CommandEntry = { kind: 'command', name: line, effect: 'unknown' };
    this.#entries.push(entry);
    const replace = (next: CommandEntry): void => {
      const at = this.#entries.indexOf(entry);
      if (at >= 0) this.#entries[at] = next;
      entry = next;
    };
    return {
      describe: (header) => replace({ ...entry, ...header }),
      end: (exit) => {
        replace({ ...entry, exit });
        if (entry.effect === 'changes') this.#onChange();
      },
    };
  }
}
