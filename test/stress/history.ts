/** The reports of workers, summed up, and the violations in them. */
import type { Report } from './words.ts';

const findingsMax = 20;

export class Ledger {
  readonly counts = new Map<string, number>();
  /** The claim of each promotion; a job is promoted once, because promotions are final. */
  readonly #promoted = new Map<string, string>();
  readonly #served = new Set<string>();
  readonly #completed = new Set<string>();
  readonly #findings = new Map<string, number>();

  get findings(): readonly string[] {
    return [...this.#findings].map(([what, times]) => (times === 1 ? what : `${what} (${times} times)`));
  }

  get completed(): ReadonlySet<string> {
    return this.#completed;
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  counted(what: string): number {
    return this.counts.get(what) ?? 0;
  }

  /** A broken rule. The number is limited: one fault may break thousands. */
  found(what: string): void {
    this.count('findings');
    if (this.#findings.has(what) || this.#findings.size < findingsMax)
      this.#findings.set(what, (this.#findings.get(what) ?? 0) + 1);
  }

  take(report: Report): void {
    if (report.kind === 'counts')
      for (const [what, by] of Object.entries(report.counts)) this.count(what, by);
    if (report.kind === 'promoted') this.#promotion(report);
    if (report.kind === 'completed') this.completion(report.job, report.outcome);
    if (report.kind === 'fault') this.found(`fault in a worker: ${report.text}`);
  }

  #promotion({ job, generation, uid }: Extract<Report, { kind: 'promoted' }>): void {
    const before = this.#promoted.get(job);
    if (before !== undefined && before !== generation)
      this.found(`double claim: job ${job} was promoted as ${before} and as ${generation}`);
    if (before !== generation && this.#served.has(uid))
      this.found(`double claim: Pod ${uid} was served twice`);
    this.#promoted.set(job, generation);
    this.#served.add(uid);
  }

  /** `changed` is the answer to exactly one of the deliveries that end a job. */
  completion(job: string, outcome: string): void {
    this.count(`complete: ${outcome}`);
    if (outcome !== 'changed') return;
    if (this.#completed.has(job)) this.found(`job ${job} was completed twice`);
    this.#completed.add(job);
  }
}
