/**
 * What a change tells. People read lines as they come; with `--json` these go to the error output, nobody is asked, and
 * one document at the end says what was planned, what was done and what was then seen, also when it fails half-way.
 */
import type { ProcessPorts } from '../process-ports.ts';
import type { Seen } from './wait-for.ts';

export class ChangeReport {
  /** Where everything that is meant for people goes. */
  readonly ports: ProcessPorts;
  #subject: string | undefined;
  #plan: readonly string[] = [];
  #notes: readonly string[] = [];
  readonly #done: string[] = [];
  readonly #observed = new Map<string, Seen>();

  constructor(ports: ProcessPorts) {
    this.ports = ports;
  }

  about(subject: string): void {
    this.#subject = subject;
  }

  planned(plan: readonly string[], notes: readonly string[] = []): void {
    this.#plan = plan;
    this.#notes = notes;
  }

  did(...deeds: readonly string[]): void {
    this.#done.push(...deeds);
  }

  /** The last look at each thing that is waited for counts. */
  saw(what: string, seen: Seen): Seen {
    this.#observed.set(what, seen);
    return seen;
  }

  get document() {
    return {
      ...(this.#subject !== undefined && { subject: this.#subject }),
      plan: this.#plan,
      ...(this.#notes.length > 0 && { notes: this.#notes }),
      done: this.#done,
      observed: [...this.#observed].map(([what, { isDone, text, facts }]) => ({
        what,
        isSeen: isDone,
        now: text,
        ...facts,
      })),
    };
  }
}

/** Does the work and, for programs, prints what came of it. */
export async function reported(
  ports: ProcessPorts,
  { json }: { readonly json?: true },
  work: (report: ChangeReport) => Promise<void>,
): Promise<void> {
  if (json !== true) return work(new ChangeReport(ports));
  const report = new ChangeReport(quiet(ports));
  const print = (more: object): void =>
    ports.terminal.out(`${JSON.stringify({ ...report.document, ...more }, null, 2)}\n`);
  try {
    await work(report);
  } catch (error) {
    print({ error: error instanceof Error ? error.message : String(error) });
    throw error;
  }
  print({});
}

/** A program reads the output and answers no questions. */
export function quiet(ports: ProcessPorts): ProcessPorts {
  const { terminal, outside } = ports;
  const ask = (): Promise<never> =>
    Promise.reject(new Error('nothing was changed: with --json nobody is asked; add --yes to do it'));
  return {
    ...ports,
    terminal: { ...terminal, out: terminal.err },
    ...(outside !== undefined && { outside: { ...outside, ask } }),
  };
}
