/** What the lines of a story of runners act on and read. */
import type { Job as GitHubJob, Installation } from '../../../clouds/github/records.ts';
import type { SimProcess } from '../../engine/process.ts';
import type { Place } from '../../workloads/runners/world.ts';
import { RunnerAdminClient } from '../../workloads/runners/admin-client.ts';
import type { PodFacts } from '../../workloads/runners/runner-truth.ts';
import type { World } from '../../world/world.ts';
import type { Chronicle } from '../event-log.ts';
import type { RunnersSetting } from './config.ts';

export interface RunnersParts extends Place {
  readonly world: World;
  readonly setting: RunnersSetting;
  readonly chronicle: Chronicle;
  /** Names of jobs and Pods in the story, by their ids. */
  readonly names: Map<string, string>;
  /** How many of the next runners hang for good before GitHub sees them. */
  readonly hanging: { left: number };
}

export class RunnersContext {
  readonly parts: RunnersParts;
  readonly admin: RunnerAdminClient;
  /** The token of a Pod, stolen by a person. */
  copiedToken = '';
  /** Restores the rows of the last copy of the database. */
  goBackToCopy: () => void = () => {
    throw new Error('there is no copy of the database');
  };
  readonly #jobs = new Map<string, GitHubJob>();

  constructor(parts: RunnersParts) {
    this.parts = parts;
    this.admin = new RunnerAdminClient(parts.world);
  }

  addJob(name: string, job: GitHubJob): void {
    this.#jobs.set(name, job);
    this.parts.names.set(job.id, name);
  }

  job(name: string): GitHubJob {
    const job = this.#jobs.get(name);
    if (job === undefined) throw new Error(`there is no job ${name}`);
    return job;
  }

  /** Jobs that one line ordered together: `a-1`, `a-2` for `a`. */
  jobsCalled(prefix: string): readonly GitHubJob[] {
    return [...this.#jobs].filter(([name]) => name.startsWith(`${prefix}-`)).map(([, job]) => job);
  }

  installation(login: string): Installation {
    const found = this.parts.site.directory.installations.find(({ account }) => account.login === login);
    if (found === undefined) throw new Error(`there is no account ${login}`);
    return found;
  }

  /**
   * Resolves the name of a Pod in the story, or `of JOB`: the Pod with the claim or the session of the job. Undefined
   * when that Pod is gone.
   */
  pod(words: string): PodFacts | undefined {
    const [, job] = /^of (\S+)$/.exec(words) ?? [];
    const name = job === undefined ? this.#realName(words) : this.#podNameOf(job);
    return this.parts.truth.pods.find((pod) => pod.name === name);
  }

  livingPod(words: string): PodFacts {
    const pod = this.pod(words);
    if (pod === undefined) throw new Error('that Pod is gone');
    return pod;
  }

  process(name: string): SimProcess {
    const process = this.parts.world.processes.get(name);
    if (process === undefined) throw new Error(`there is no process ${name}`);
    return process;
  }

  #realName(alias: string): string {
    const found = [...this.parts.names].find(([, name]) => name === alias);
    if (found === undefined) throw new Error(`there is no Pod ${alias}`);
    return found[0];
  }

  #podNameOf(job: string): string | undefined {
    const { id } = this.job(job);
    const { claims, sessions } = this.parts.tables;
    const isOf = (row: { readonly jobId: string; readonly executedJobId: string | undefined }): boolean =>
      (row.executedJobId ?? row.jobId) === id;
    return [...claims.values(), ...sessions.values()].find(isOf)?.pod.name;
  }
}
