/**
 * Reconciles jobs of a Pod that has just ended, while their `completed` webhook is missing. Only GitHub knows their state.
 *
 * GitHub is queried after a short delay. Mostly the webhook arrives within that time, and a healthy job is neither
 * queried nor recorded as repaired. The delay also keeps a job whose runner failed to start from being handed out again
 * in the same second.
 *
 * A failed query is repeated, at the time that GitHub names. When a replica stops or dies, `orphaned-runners` on
 * another replica finds these jobs by their closed sessions. So `stop` does not wait for queued looks.
 */
import { backoffMs, type Backoff } from '../../../platform/backoff.ts';
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { Job, PodRef } from '../../store/rows.ts';
import { reconcileJob } from '../jobs/reconcile-job.ts';
import { deregisterIdle } from '../registrations/runner-registrations.ts';
import { draftOf, type RecoveryPorts } from '../scheduler/worker.ts';

export interface EndedPod {
  readonly pod: PodRef;
  readonly jobs: readonly Job[];
}

interface Look {
  readonly pod: PodRef;
  readonly job: Job;
  /** Failed attempts so far. */
  readonly failures: number;
}

export const graceMs = 10_000;
/** Parallel looks: slow answers about some jobs must not delay the others, and many Pods may end at once. */
const atOnceMax = 8;
/** After this many failed looks a job is left to `orphaned-runners`. */
const looksMax = 5;
/** Delay before the next look where GitHub names no time; doubles each time. */
const backoff: Backoff = { firstMs: 10_000, maxMs: 80_000 };

export class EndedPods {
  readonly #ports: RecoveryPorts;
  /** Cancel functions of the looks that are not due yet. */
  readonly #coming = new Set<() => void>();
  readonly #underWay = new Set<Promise<void>>();
  #due: Look[] = [];
  #isStopped = false;

  constructor(ports: RecoveryPorts) {
    this.#ports = ports;
  }

  add({ pod, jobs }: EndedPod): void {
    if (this.#isStopped) return;
    for (const job of jobs) this.#after(graceMs, { pod, job, failures: 0 });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const cancel of this.#coming) cancel();
    this.#coming.clear();
    this.#due = [];
    await Promise.all(this.#underWay);
  }

  #after(ms: number, look: Look): void {
    const cancel = this.#ports.clock.after(ms, () => {
      this.#coming.delete(cancel);
      this.#due.push(look);
      this.#goOn();
    });
    this.#coming.add(cancel);
  }

  #goOn(): void {
    while (this.#underWay.size < atOnceMax) {
      const look = this.#due.shift();
      if (look === undefined) return;
      const made = this.#look(look).finally(() => {
        this.#underWay.delete(made);
        this.#goOn();
      });
      this.#underWay.add(made);
    }
  }

  async #look(due: Look): Promise<void> {
    const { store, say } = this.#ports;
    const {
      pod,
      job: { id, generation },
    } = due;
    try {
      const job = await store.job(id);
      if (job?.state !== 'running' || job.generation !== generation) return;
      const reason = job.executor === undefined ? 'pod_stopped' : 'unattended';
      const look = { job, reason, claim: undefined, pod, runnerName: undefined } as const;
      const { act } = await reconcileJob(this.#ports, look);
      if (act === 'abandon') await this.#letRunnerGo(job, pod);
    } catch (error) {
      say('failed to reconcile job of ended Pod', { job: id, error });
      this.#lookAgain(due, error);
    }
  }

  /** Repeats only failures that may pass. */
  #lookAgain({ failures, ...look }: Look, error: unknown): void {
    const mayHelp = isFleetError(error, 'notYet') || isFleetError(error, 'unavailable');
    if (!mayHelp || this.#isStopped || failures + 1 >= looksMax) return;
    const waitMs = backoffMs(backoff, failures + 1);
    const namedMs = error.retryAt === undefined ? waitMs : error.retryAt - this.#ports.clock.now();
    this.#after(Math.max(namedMs, backoff.firstMs), { ...look, failures: failures + 1 });
  }

  /** Removes the registration of a runner whose Pod has ended: an organisation may have only a few thousand runners. */
  async #letRunnerGo(job: Job, pod: PodRef): Promise<void> {
    const { store, github, recovered } = this.#ports;
    const { id: jobId, generation, installationId, repository } = job;
    if (this.#isStopped) return;
    const session = await store.lastSession({ podUid: pod.uid });
    if (session === undefined) return;
    const tenant = { installationId, repository };
    const runner = await github.runnerNamed(tenant, session.runnerName);
    if (runner === undefined || runner.isOnline) return;
    const removal = { tenant, runner, about: { jobId, pod, generation } };
    if (!(await deregisterIdle(this.#ports, removal))) return;
    const about = { ...removal.about, evidence: { runner: runner.name, why: 'its Pod has ended' } };
    await store.record({ ...draftOf(this.#ports, 'ghost_runner', about), outcome: 'removed' });
    recovered('ghost_runner', about);
  }
}
