/** What happens in a story of runners, in words: told when a Pod, a row, or a job at GitHub is another than before. */
import type { Job as StoredJob } from '../../../dispatch/store/rows.ts';
import type { PodFacts } from '../../scenarios/runners/runner-truth.ts';
import type { RunnersParts } from './scene.ts';

/** Tells of everything that changed since it was last called. */
export class FactTeller {
  readonly #parts: RunnersParts;
  readonly #told = new Map<string, string>();
  #pods = 0;

  constructor(parts: RunnersParts) {
    this.#parts = parts;
  }

  look(): void {
    const { truth, tables, site } = this.#parts;
    const pods = truth.pods;
    for (const pod of pods) this.#tellIfNew(`Pod ${this.#podName(pod)}`, podWords(pod));
    this.#tellOfGone(new Set(pods.map(({ name }) => name)));
    for (const job of tables.jobs.values()) this.#tellIfNew(`job ${job.id}`, this.#jobWords(job));
    for (const { id, status, conclusion } of site.board.jobs)
      this.#tellIfNew(
        `GitHub: job ${id}`,
        conclusion === undefined ? `is ${status}` : `is over: ${conclusion}`,
      );
  }

  #tellIfNew(subject: string, words: string): void {
    if (this.#told.get(subject) === words) return;
    this.#told.set(subject, words);
    if (words !== '') this.#parts.chronicle.tell('', `${subject} ${words}`);
  }

  #tellOfGone(names: ReadonlySet<string>): void {
    for (const [id, alias] of this.#parts.names)
      if (alias.startsWith('pod-') && !names.has(id)) this.#tellIfNew(`Pod ${alias}`, 'is gone');
  }

  #podName({ name }: PodFacts): string {
    const known = this.#parts.names.get(name);
    if (known !== undefined) return known;
    this.#pods += 1;
    const alias = `pod-${this.#pods}`;
    this.#parts.names.set(name, alias);
    return alias;
  }

  #jobWords({ state, generation, conclusion }: StoredJob): string {
    const claim = generation === undefined ? undefined : this.#parts.tables.claims.get(generation);
    if (state === 'completed') return `is completed: ${conclusion ?? ''}`;
    return state === 'claimed' ? `is claimed by ${claim?.pod.name ?? 'nobody'}` : `is ${state}`;
  }
}

function podWords({ owner, isLeaving, isOver }: PodFacts): string {
  if (isLeaving) return 'is leaving';
  if (isOver) return 'is over';
  return owner === undefined ? 'is free' : `is stamped for ${owner}`;
}
