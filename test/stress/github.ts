/**
 * The parts of GitHub and of the Pod reports that the stress test needs. Jobs are queued, some are canceled, deliveries
 * come twice and late, and promoted jobs of a killed worker are completed all the same.
 */
import { sql, type Kysely } from 'kysely';
import type { Schema } from '../../src/dispatch/store/postgres/schema.ts';
import { ingest } from '../../src/dispatch/store/postgres/ingest.ts';
import { inTransaction } from '../../src/dispatch/store/postgres/transaction.ts';
import type { Ingested, JobStore } from '../../src/dispatch/store/port.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';
import type { Ledger } from './history.ts';
import { deliveryOf, draftOf } from './plan.ts';

export interface GitHubPorts {
  readonly store: JobStore;
  readonly db: Kysely<Schema>;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly random: Random;
  /** Pods in use by some worker. */
  readonly heldPods: () => readonly string[];
}

/**
 * Jobs come in waves: first more jobs than any budget holds, then more Pods than jobs, when many Pods compete for the
 * same job.
 */
const waveSize = 120;
const nextWaveBelow = 10;
const cancelShare = 0.12;
/** A commit may be slow; a worker that chose the job meanwhile notices only on its claim. */
const commitMaxMs = 30;
const againShare = 0.1;
/** A live worker needs less than this for a job. */
const abandonedAfterMs = 1000;

interface Abandoned {
  readonly job_id: string;
  readonly pod_name: string;
  readonly pod_uid: string;
  readonly runner_name: string;
}

export class StressGitHub {
  readonly #ports: GitHubPorts;
  /** The number of jobs so far. */
  jobs = 0;
  /** Jobs whose queued delivery was acknowledged. Of two parallel attempts either may be the first. */
  readonly #acknowledged: number[] = [];

  constructor(ports: GitHubPorts) {
    this.#ports = ports;
  }

  /** The number of unfinished jobs. */
  async open(): Promise<number> {
    const { rows } = await sql<{ readonly open: number }>`
      select count(*)::int as open from jobs where state <> 'completed'`.execute(this.#ports.db);
    return rows[0]?.open ?? 0;
  }

  /** Starts the next wave once the last one is almost over. */
  async enqueue(): Promise<void> {
    const { random } = this.#ports;
    if ((await this.open()) >= nextWaveBelow) return;
    const numbers = Array.from({ length: waveSize }, () => (this.jobs += 1));
    await Promise.all(
      numbers.map(async (number) => {
        await this.#queued(number);
        this.#acknowledged.push(number);
        if (random.next() < cancelShare) await this.#cancel(number);
        if (random.next() < againShare) await this.#again(this.#anyAcknowledged());
      }),
    );
  }

  #anyAcknowledged(): number {
    const { random } = this.#ports;
    return this.#acknowledged[Math.floor(random.next() * this.#acknowledged.length)] ?? 1;
  }

  async #queued(number: number): Promise<void> {
    const { store, clock } = this.#ports;
    const at = clock.now();
    await store.ingest(deliveryOf(String(number), 'queued', at), {
      kind: 'enqueue',
      job: draftOf(number, at),
    });
  }

  async #cancel(number: number): Promise<void> {
    const { ledger } = this.#ports;
    ledger.completion(String(number), await this.#cancelSlowly(number));
    ledger.count('cancelled');
  }

  /** Like the store, but with time between the writes and the commit, like a slow disk or a slow network. */
  #cancelSlowly(number: number): Promise<Ingested> {
    const { db, clock, random } = this.#ports;
    const at = clock.now();
    const end = { runnerName: undefined, startedAt: undefined, conclusion: 'cancelled', at };
    const delivery = deliveryOf(String(number), 'cancelled', at);
    return inTransaction(db, async (tx) => {
      const outcome = await ingest(tx, delivery, { kind: 'complete', job: draftOf(number, at), end });
      await new Promise<void>((resolve) => void clock.after(random.next() * commitMaxMs, resolve));
      return outcome;
    });
  }

  /** Repeats an old delivery, under the same and under a new guid: neither may bring a job back. */
  async #again(number: number): Promise<void> {
    const { store, clock, ledger } = this.#ports;
    const at = clock.now();
    const job = draftOf(number, at);
    const same = await store.ingest(deliveryOf(job.id, 'queued', at), { kind: 'enqueue', job });
    const late = await store.ingest(deliveryOf(job.id, `late-${at}-${number}`, at), { kind: 'enqueue', job });
    if (same !== 'known' || late === 'changed') ledger.found(`job ${job.id} came back: ${same}, ${late}`);
    ledger.count('said again', 2);
  }

  /** Completes jobs whose worker was killed after the promotion. */
  async finishAbandoned(olderThanMs = abandonedAfterMs): Promise<number> {
    const { db, clock } = this.#ports;
    const held = [...this.#ports.heldPods()];
    const { rows } = await sql<Abandoned>`
      select sessions.job_id, pod_name, pod_uid, runner_name from sessions
      where ended_at is null and pod_uid <> all(${held}) and started_at < ${new Date(clock.now() - olderThanMs)}
      union select sessions.job_id, pod_name, pod_uid, runner_name
      from jobs join sessions on sessions.generation = jobs.generation
      where jobs.state = 'running' and pod_uid <> all(${held})
        and sessions.started_at < ${new Date(clock.now() - olderThanMs)}`.execute(db);
    for (const abandoned of rows) await this.#finish(abandoned);
    return rows.length;
  }

  async #finish({ job_id, pod_name, pod_uid, runner_name }: Abandoned): Promise<void> {
    const { store, clock, ledger } = this.#ports;
    const at = clock.now();
    const end = { runnerName: runner_name, startedAt: at, conclusion: 'success', at };
    const job = draftOf(Number(job_id), at);
    const outcome = await store.ingest(deliveryOf(job_id, 'completed', at), { kind: 'complete', job, end });
    ledger.completion(job_id, outcome);
    await store.podStopped({ pod: { name: pod_name, uid: pod_uid }, at, ending: undefined });
    ledger.count('abandoned');
  }
}
