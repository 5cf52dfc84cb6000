/**
 * The simulated workflows of the demo: every few seconds a job for one of the platforms is queued, unless several jobs
 * wait. Each finished job is reported.
 */
import type { Clock } from '../../../src/platform/clock.ts';
import type { Random } from '../../../src/platform/random.ts';
import type { Job } from '../../clouds/github/records.ts';

export interface JobDriverPorts {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether dispatch takes jobs yet. */
  readonly isOpen: () => Promise<boolean>;
  readonly order: (platform: string) => Job;
  readonly platforms: readonly string[];
  readonly report: (text: string) => void;
  readonly onFailure: (error: unknown) => void;
}

const lookMs = 500;
const pauseMs = { least: 3000, most: 9000 };
/** A user who stops a part must not find a long queue afterwards. */
const waitingMax = 4;

interface Ordered {
  readonly job: Job;
  readonly platform: string;
}

export class JobDriver {
  readonly #ports: JobDriverPorts;
  readonly #ordered = new Set<Ordered>();
  #isOpen = false;
  #rounds = 0;
  #nextAt = 0;
  #cancel: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(ports: JobDriverPorts) {
    this.#ports = ports;
  }

  start(): void {
    this.#looking = this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { clock, isOpen, onFailure } = this.#ports;
    try {
      this.#isOpen ||= await isOpen();
      if (this.#isOpen && !this.#isStopped) this.#round();
    } catch (error) {
      if (!this.#isStopped) onFailure(error);
    }
    if (!this.#isStopped) this.#cancel = clock.after(lookMs, () => void (this.#looking = this.#look()));
  }

  #round(): void {
    const { clock } = this.#ports;
    for (const ordered of this.#ordered) if (ordered.job.status === 'completed') this.#over(ordered);
    const waiting = [...this.#ordered].filter(({ job }) => job.status === 'queued');
    if (clock.now() >= this.#nextAt && waiting.length < waitingMax) this.#order();
  }

  /** The first jobs, one for each platform, are queued at once. */
  #order(): void {
    const { clock, random, platforms, order } = this.#ports;
    const platform = platforms[this.#rounds % platforms.length];
    if (platform === undefined) return;
    this.#ordered.add({ job: order(platform), platform });
    this.#rounds += 1;
    const pause = pauseMs.least + random.next() * (pauseMs.most - pauseMs.least);
    this.#nextAt = this.#rounds < platforms.length ? 0 : clock.now() + pause;
  }

  #over(ordered: Ordered): void {
    this.#ordered.delete(ordered);
    const { job, platform } = ordered;
    const seconds = Math.round(((job.completedAt ?? job.createdAt) - job.createdAt) / 1000);
    const end = `${job.conclusion ?? 'no conclusion'} on ${job.runner?.name ?? 'no runner'}`;
    this.#ports.report(`demo: job ${job.id} for ${platform} is over after ${seconds} s: ${end}`);
  }
}
