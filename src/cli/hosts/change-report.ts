/**
 * The report of a change. Text lines are printed as they come. With `--json` these lines go to the error output, no
 * question is asked, and one document at the end has the plan, the completed steps and the observed result, also after
 * a failure half-way.
 */
import type { ProcessPorts } from '../process-ports.ts';
import type { Seen } from './wait-for.ts';

export class ChangeReport {
  /** The ports for text output. */
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

  /** Only the last observation of each awaited fact is reported. */
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

/** Does the work and, with `--json`, prints the document. */
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

/** Ports for `--json`: text goes to the error output, and questions fail. */
export function quiet(ports: ProcessPorts): ProcessPorts {
  const { terminal, outside } = ports;
  const ask = (): Promise<never> =>
    Promise.reject(
      new Error('nothing was changed: with --json there is no confirmation; add --yes to do it'),
    );
  return {
    ...ports,
    terminal: { ...terminal, out: terminal.err },
    ...(outside !== undefined && { outside: { ...outside, ask } }),
  };
}
