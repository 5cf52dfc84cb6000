/** Turns the events of a story of runners into facts: each change of a Pod, of a row, or at GitHub. */
import type { Job as StoredJob, AuditEntry } from '../../../../src/dispatch/store/rows.ts';
import type { Runner } from '../../../clouds/github/records.ts';
import type { PodFacts } from '../../workloads/runners/runner-truth.ts';
import type { RunnersParts } from './context.ts';

interface JobEvents {
  /** The subject of the fact, such as `Pod pod-1`. */
  readonly subject: string;
  readonly words: string;
  /** The text for many facts of one kind together. */
  readonly kind: string;
}

/** Reports everything that changed since the last call. */
export class FactTeller {
  readonly #parts: RunnersParts;
  readonly #reported = new Map<string, string>();
  readonly #known = new Set<string>();
  #pods = 0;

  constructor(parts: RunnersParts) {
    this.#parts = parts;
  }

  look(): void {
    const { truth, tables, site } = this.#parts;
    const pods = truth.pods;
    for (const pod of pods) this.#reportIfNew(podEvents(this.#podName(pod), pod));
    this.#reportGone(new Set(pods.map(({ name }) => name)));
    for (const job of tables.jobs.values()) this.#reportIfNew(this.#jobEvents(job));
    for (const act of tables.acts.values())
      this.#reportOnce(act.id, actText(act), `recovery: ${act.kind}, ${act.outcome}`);
    for (const runner of site.hall.all)
      this.#reportOnce(runner.id, this.#runnerText(runner), 'GitHub: registers a runner');
    for (const { id, status, conclusion } of site.board.jobs) {
      const words = conclusion === undefined ? `is ${status}` : `is over: ${conclusion}`;
      this.#reportIfNew({ subject: `GitHub: job ${id}`, words, kind: `GitHub: a job ${words}` });
    }
  }

  #reportIfNew({ subject, words, kind }: JobEvents): void {
    if (this.#reported.get(subject) === words) return;
    this.#reported.set(subject, words);
    if (words !== '') this.#parts.chronicle.report('', `${subject} ${words}`, kind);
  }

  #reportGone(names: ReadonlySet<string>): void {
    for (const [id, alias] of this.#parts.names)
      if (alias.startsWith('pod-') && !names.has(id))
        this.#reportIfNew({ subject: `Pod ${alias}`, words: 'is gone', kind: 'a Pod is gone' });
  }

  #podName({ name }: PodFacts): string {
    const known = this.#parts.names.get(name);
    if (known !== undefined) return known;
    this.#pods += 1;
    const alias = `pod-${this.#pods}`;
    this.#parts.names.set(name, alias);
    return alias;
  }

  #jobEvents(job: StoredJob): JobEvents {
    const words = this.#jobWords(job);
    const [kind] = words.split(' by ');
    return { subject: `job ${job.id}`, words, kind: `job ${kind}` };
  }

  #jobWords({ state, generation, conclusion }: StoredJob): string {
    const claim = generation === undefined ? undefined : this.#parts.tables.claims.get(generation);
    if (state === 'completed') return `is completed: ${conclusion ?? ''}`;
    return state === 'claimed' ? `is claimed by ${claim?.pod.name ?? 'no Pod'}` : `is ${state}`;
  }

  /** A runner name is the name of its Pod and a random suffix. */
  #runnerText({ name }: Runner): string {
    const pod = [...this.#parts.names.keys()].find((one) => name.startsWith(one));
    return `GitHub: registers a runner for ${pod ?? 'no Pod'}`;
  }

  /** For what has no name in the story: its id changes with each additional request. */
  #reportOnce(id: string, text: string, kind: string): void {
    if (this.#known.has(id)) return;
    this.#known.add(id);
    this.#parts.chronicle.report('', text, kind);
  }
}

/** Omits the evidence, which is mostly times. */
function actText({ kind, pod, jobId, outcome }: AuditEntry): string {
  const about = [pod?.name, jobId === undefined ? undefined : `job ${jobId}`];
  return `recovery: ${[kind, ...about.filter((one) => one !== undefined), outcome].join(', ')}`;
}

function podEvents(alias: string, pod: PodFacts): JobEvents {
  const words = podWords(pod);
  return { subject: `Pod ${alias}`, words, kind: `a Pod ${words}` };
}

function podWords({ owner, isDeleting, isOver }: PodFacts): string {
  if (isDeleting) return 'is leaving';
  if (isOver) return 'is over';
  return owner === undefined ? 'is free' : `is stamped for ${owner}`;
}
