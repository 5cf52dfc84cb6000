/** The jobs of all workflows: queued, waiting, running, completed. A listener receives each change once. */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Ids } from './ids.ts';
import type { Conclusion, Job, Repository, Runner } from './records.ts';

export interface JobOrder {
  readonly repository: Repository;
  readonly labels: readonly string[];
  readonly name?: string;
  readonly workflow?: string;
  /** The job needs an approval before it is queued. */
  readonly waits?: boolean;
  /** The run of the job; a run of its own by default. */
  readonly runId?: string;
}

export type JobAction = 'waiting' | 'queued' | 'in_progress' | 'completed';

export interface JobBoardPorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly changed: (job: Job, action: JobAction) => void;
}

export class JobBoard {
  readonly #ports: JobBoardPorts;
  readonly #jobs = new Map<string, Job>();
  /** The jobs that a runner could get; read far more often than all jobs. */
  readonly #queued = new Set<Job>();

  constructor(ports: JobBoardPorts) {
    this.#ports = ports;
  }

  get jobs(): readonly Job[] {
    return [...this.#jobs.values()];
  }

  get queued(): readonly Job[] {
    return [...this.#queued];
  }

  job(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  order({ repository, labels, name = 'build', workflow = 'CI', waits = false, runId }: JobOrder): Job {
    const { ids } = this.#ports;
    const status = waits ? ('waiting' as const) : ('queued' as const);
    return this.#add({
      runId: runId ?? ids.next('run'),
      runAttempt: 1,
      repository,
      name,
      workflow,
      labels,
      status,
    });
  }

  /** Approves the job, which is then queued. */
  approve(job: Job): void {
    if (job.status !== 'waiting') throw new Error(`job ${job.id} is ${job.status}`);
    job.status = 'queued';
    this.#queued.add(job);
    this.#ports.changed(job, 'queued');
  }

  begin(job: Job, { id, name }: Runner): void {
    if (job.status !== 'queued') throw new Error(`job ${job.id} is ${job.status}`);
    job.status = 'in_progress';
    this.#queued.delete(job);
    job.startedAt = this.#ports.clock.now();
    job.runner = { id, name };
    this.#ports.changed(job, 'in_progress');
  }

  end(job: Job, conclusion: Conclusion): void {
    if (job.status === 'completed') return;
    job.status = 'completed';
    this.#queued.delete(job);
    job.conclusion = conclusion;
    job.completedAt = this.#ports.clock.now();
    this.#ports.changed(job, 'completed');
  }

  /** Runs the job again, as a new job in the next attempt of the same run. */
  again(job: Job): Job {
    if (job.status !== 'completed') throw new Error(`job ${job.id} is ${job.status}`);
    const { runId, repository, name, workflow, labels } = job;
    const attempts = this.jobs.filter((one) => one.runId === runId).map((one) => one.runAttempt);
    const runAttempt = Math.max(...attempts) + 1;
    return this.#add({ runId, runAttempt, repository, name, workflow, labels, status: 'queued' });
  }

  #add(
    given: Pick<Job, 'runId' | 'runAttempt' | 'repository' | 'name' | 'workflow' | 'labels' | 'status'>,
  ): Job {
    const { ids, clock, changed } = this.#ports;
    const id = ids.next('job');
    const job: Job = {
      ...given,
      id,
      branch: 'main',
      commit: BigInt(given.runId).toString(16).padStart(40, '0'),
      createdAt: clock.now(),
      conclusion: undefined,
      startedAt: undefined,
      completedAt: undefined,
      runner: undefined,
    };
    this.#jobs.set(id, job);
    if (given.status === 'queued') this.#queued.add(job);
    changed(job, given.status === 'waiting' ? 'waiting' : 'queued');
    return job;
  }
}
