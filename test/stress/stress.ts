/**
 * Runs claims on the store until the wanted number is reached, and then until every job is over. Workers are killed and
 * replaced, Pods blocked, stale claims released, while the tables are checked all the time.
 */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { releaseStaleClaims } from '../../src/dispatch/recovery/claims/stale-claims.ts';
import { PeriodicTask } from '../../src/platform/periodic-task.ts';
import { openDatabase, type Database } from '../../src/dispatch/store/postgres/open-database.ts';
import { PostgresStore } from '../../src/dispatch/store/postgres/postgres-store.ts';
import type { JobStore } from '../../src/dispatch/store/port.ts';
import type { Random } from '../../src/platform/random.ts';
import { RandomStreams } from '../../lab/simulator/engine/random-streams.ts';
import { wallClock as clock } from '../../lab/harness/wall-clock.ts';
import { Workers } from './workers.ts';
import { lookAtTheEnd } from './final-check.ts';
import { StressGitHub } from './github.ts';
import { Ledger } from './history.ts';
import { Monitor } from './checker.ts';
import { accountIds, limits, poolOfPod, staleAfterMs, workers } from './plan.ts';

export interface StressOptions {
  readonly url: string;
  readonly attempts: number;
  readonly seed: number;
  readonly progress: (line: string) => void;
}

export interface StressResult {
  readonly seconds: number;
  readonly jobs: number;
  readonly kills: number;
  readonly samples: number;
  readonly fullestBudget: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
}

/** Without any finished job for so long, no more will finish. */
const stuckAfterMs = 120_000;
/** Attempts between two kills, as a share of all and at least. */
const killShare = 1 / 150;
const killAtLeast = 2000;

export async function runStressTest(order: StressOptions): Promise<StressResult> {
  const open = async (connectionsMax: number): Promise<Database> =>
    openDatabase({ url: order.url, connectionsMax, onLost: () => undefined });
  const databases = [await open(8), await open(1)] as const;
  const run = new Run(order, databases);
  try {
    return await run.run();
  } finally {
    await run.stop();
    for (const database of databases) await database.close();
  }
}

class Run {
  readonly #order: StressOptions;
  readonly #databases: readonly [Database, Database];
  readonly #ledger = new Ledger();
  readonly #random: Random;
  readonly #store: JobStore;
  readonly #workers: Workers;
  readonly #github: StressGitHub;
  readonly #monitor: Monitor;
  readonly #tickers: PeriodicTask[] = [];
  readonly #startedAt = clock.now();
  #nextKill = 0;

  constructor(order: StressOptions, databases: readonly [Database, Database]) {
    this.#order = order;
    this.#databases = databases;
    this.#random = new RandomStreams(order.seed).stream('supervisor');
    const ledger = this.#ledger;
    this.#store = new PostgresStore(databases[0].db, { clock });
    this.#workers = new Workers({
      ...order,
      onReport: (report) => ledger.take(report),
      onDeath: (how) => ledger.found(how),
    });
    const common = { clock, ledger, random: this.#random, store: this.#store };
    const heldPods = (): readonly string[] => this.#workers.pods();
    this.#github = new StressGitHub({ ...common, db: databases[0].db, heldPods });
    const found = (what: string): void => ledger.found(what);
    this.#monitor = new Monitor({ db: databases[1].db, found, pause: async () => pause(2) });
  }

  async run(): Promise<StressResult> {
    await this.#setUp();
    this.#monitor.start();
    for (let worker = 0; worker < workers; worker += 1) this.#workers.start();
    this.#every(10, async () => this.#retireOne());
    this.#every(50, async () => this.#releaseStale(staleAfterMs));
    this.#every(200, async () => void (await this.#github.finishAbandoned()));
    await this.#untilEnough();
    await this.#untilOver();
    const seconds = (clock.now() - this.#startedAt) / 1000;
    await this.stop();
    const { killed } = this.#workers;
    const { jobs } = this.#github;
    await lookAtTheEnd(this.#databases[0].db, { ledger: this.#ledger, jobs, killed });
    const { samples, fullest: fullestBudget } = this.#monitor;
    const { counts, findings } = this.#ledger;
    return { seconds, jobs, kills: killed.size, samples, fullestBudget, counts, findings };
  }

  async stop(): Promise<void> {
    await this.#workers.stop();
    await Promise.all(this.#tickers.splice(0).map(async (ticker) => ticker.stop()));
    // All workers have stopped, so every remaining claim is stale.
    await this.#releaseStale(-1);
    await this.#github.finishAbandoned(-1);
    await this.#monitor.stop();
  }

  async #setUp(): Promise<void> {
    for (const id of accountIds) {
      const installation = { id, accountId: id, state: 'active' } as const;
      await this.#store.apply({ kind: 'install', account: { id, login: `org-${id}` }, installation });
    }
    for (const limit of limits) await this.#store.setLimit(limit);
  }

  #every(everyMs: number, run: () => Promise<void>): void {
    const onFailure = (error: unknown): void =>
      this.#ledger.found(`fault in the supervisor: ${String(error)}`);
    const ticker = new PeriodicTask({ clock, everyMs, run, onFailure });
    this.#tickers.push(ticker);
    ticker.start();
  }

  async #untilEnough(): Promise<void> {
    const { attempts, progress } = this.#order;
    let lastAt = clock.now();
    let last = 0;
    // Workers that are faster than this loop may be done before it has killed any of them.
    const isEnough = (done: number): boolean => done >= attempts && this.#workers.killed.size > 0;
    for (let done = 0; !isEnough(done); done = this.#ledger.counted('attempts')) {
      if (done > last) [last, lastAt] = [done, clock.now()];
      if (clock.now() - lastAt > stuckAfterMs) return this.#ledger.found('no poller asks any more');
      progress(`hammering: ${done} of ${attempts} attempts, ${this.#workers.killed.size} workers killed`);
      await this.#github.enqueue();
      if (done >= this.#nextKill) await this.#killOne(done);
      await pause(5);
    }
  }

  async #killOne(done: number): Promise<void> {
    const gap = Math.max(killAtLeast, this.#order.attempts * killShare);
    this.#nextKill = done + gap * (0.5 + this.#random.next());
    if (done === 0) return;
    const left = await this.#workers.kill(Math.floor(this.#random.next() * this.#workers.size));
    this.#workers.start(await this.#unserved(left));
  }

  /** A Pod that was served does not ask again: its runner is at work or has been. */
  async #unserved(pods: readonly (string | null)[]): Promise<readonly (string | null)[]> {
    const { rows } = await sql<{ readonly pod_uid: string }>`
      select pod_uid from sessions where pod_uid = any(${[...pods]})`.execute(this.#databases[0].db);
    const served = new Set(rows.map((row) => row.pod_uid));
    return pods.map((pod) => (pod !== null && served.has(pod) ? null : pod));
  }

  async #untilOver(): Promise<void> {
    const { progress } = this.#order;
    let lastAt = clock.now();
    for (let last = -1; ;) {
      const left = await this.#github.open();
      if (left === 0) return;
      if (left !== last) [last, lastAt] = [left, clock.now()];
      if (clock.now() - lastAt > stuckAfterMs) return;
      progress(`ending: ${left} jobs are not over`);
      await pause(20);
    }
  }

  /** Like a scale-down: blocks a Pod without a claim. */
  async #retireOne(): Promise<void> {
    const pods = this.#workers.pods();
    const uid = pods[Math.floor(this.#random.next() * pods.length)];
    if (uid === undefined) return;
    const answer = await this.#store.block({
      pool: poolOfPod(uid),
      pod: { name: uid, uid },
      at: clock.now(),
    });
    this.#ledger.count(`retire: ${answer}`);
  }

  async #releaseStale(olderThanMs: number): Promise<void> {
    const released = await releaseStaleClaims(
      { store: this.#store, clock, newId: randomUUID, recovered: () => undefined, say: () => undefined },
      olderThanMs,
    );
    this.#ledger.count('stale claims released', released);
  }
}

async function pause(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void clock.after(ms, resolve));
}
