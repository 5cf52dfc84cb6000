/** The store in PostgreSQL. Each operation is a file and one transaction; only `ingest` may share a transaction. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../../platform/clock.ts';
import { ignoreJobEvents, type Reported } from '../job-events.ts';
import type {
  ClaimAnswer,
  ClaimRequest,
  Effect,
  Ingested,
  JobFilter,
  JobStore,
  Promotion,
  RunnerName,
  SessionOwner,
  Signals,
  StoppedPod,
  Usage,
} from '../port.ts';
import type { ProfileRefusal } from '../profile-rules.ts';
import type {
  Abandonment,
  ActFilter,
  Bygone,
  GivenUp,
  JobSource,
  Retirement,
  Lease,
  LeaseAnswer,
  LeaseEnd,
  LeaseRequest,
  RenewedLeases,
} from '../recovery-port.ts';
import type {
  Account,
  AuditDraft,
  Claim,
  Delivery,
  Installation,
  Job,
  Limit,
  Profile,
  ProfileDraft,
  AuditEntry,
  Session,
} from '../rows.ts';
import { acts, writeAudit, record } from './audit.ts';
import { claim } from './claim.ts';
import { applyEffect } from './effects.ts';
import { databaseFailure } from './failure.ts';
import { ingestTogether, type QueuedDelivery } from './ingest-batch.ts';
import { ingest } from './ingest.ts';
import { podStopped, block } from './pods.ts';
import { promote } from './promote.ts';
import { prune } from './prune.ts';
import { putProfile } from './put-profile.ts';
import {
  account,
  accounts,
  claims,
  installation,
  installations,
  installationsById,
  job,
  jobs,
  lastSession,
  openSessions,
  profiles,
  queuedPools,
  sessionsOf,
  usage,
} from './reads.ts';
import { abandon, giveUp, jobSources, settle } from './recovery.ts';
import { release } from './release.ts';
import { removeProfile } from './remove-profile.ts';
import type { Schema } from './schema.ts';
import { setLimit } from './set-limit.ts';
import { signals } from './signals.ts';
import { Batcher } from './batcher.ts';
import { inTransaction, type Tx } from './transaction.ts';
import { releaseLease, renewLeases, suspect, acquireLease, leases } from './job-leases.ts';

export interface StoreOptions {
  /** Receives job events of this store. */
  readonly reported?: Reported;
  /** Times the waits of the batchers. */
  readonly clock: Clock;
}

interface Found {
  readonly installation: Installation | undefined;
}

export class PostgresStore implements JobStore {
  readonly #db: Kysely<Schema>;
  readonly #reported: Reported;
  /** Batches `queued` webhooks: all jobs of a workflow are queued at once, and GitHub sends a webhook for each. */
  readonly #queued: Batcher<QueuedDelivery, Ingested>;
  /** Batches the installation read that every webhook begins with. */
  readonly #installations: Batcher<string, Found>;

  constructor(db: Kysely<Schema>, { reported = ignoreJobEvents, clock }: StoreOptions) {
    this.#db = db;
    this.#reported = reported;
    this.#queued = new Batcher({
      alone: async (one) => this.#ingest(one.delivery, one.effect),
      together: async (received) => this.#change(async (tx) => ingestTogether(tx, received)),
      clock,
    });
    this.#installations = new Batcher({
      alone: async (id) => this.#installation(id),
      together: async (ids) => this.#installationsById(ids),
      clock,
    });
  }

  async ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    if (effect.kind !== 'enqueue') return this.#ingest(delivery, effect);
    return this.#queued.ask({ delivery, effect });
  }

  async #ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    return this.#change(async (tx) => ingest(tx, delivery, effect));
  }

  async apply(effect: Effect, act?: AuditDraft): Promise<'changed' | 'unchanged'> {
    return this.#change(async (tx) => {
      const change = await applyEffect(tx, effect, 'look');
      return change === 'changed' ? writeAudit(tx, act, change) : change;
    });
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
    return this.#change(async (tx) => claim(tx, request));
  }

  async promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'> {
    return this.#change(async (tx) => promote(tx, promotion));
  }

  async release(generation: string, act?: AuditDraft): Promise<'released' | 'stale'> {
    return this.#change(async (tx) => release(tx, generation, act));
  }

  async podStopped(stopped: StoppedPod, act?: AuditDraft): Promise<readonly Job[]> {
    return this.#change(async (tx) => podStopped(tx, stopped, act));
  }

  async block(retirement: Retirement, act?: AuditDraft): Promise<'retired' | 'in-use'> {
    return inTransaction(this.#db, async (tx) => block(tx, retirement, act));
  }

  async abandon(abandonment: Abandonment, act: AuditDraft): Promise<'requeued' | 'busy' | 'stale'> {
    return this.#change(async (tx) => abandon(tx, abandonment, act));
  }

  async giveUp(givenUp: GivenUp, act: AuditDraft): Promise<'given-up' | 'stale'> {
    return this.#change(async (tx) => giveUp(tx, givenUp, act));
  }

  async settle(generation: string, act: AuditDraft): Promise<'settled' | 'live'> {
    return inTransaction(this.#db, async (tx) => settle(tx, generation, act));
  }

  async suspect(
    worker: string,
    subjects: readonly string[],
    at: number,
  ): Promise<ReadonlyMap<string, number>> {
    return inTransaction(this.#db, async (tx) => suspect(tx, { worker, subjects, at }));
  }

  async acquireLease(request: LeaseRequest): Promise<LeaseAnswer> {
    return inTransaction(this.#db, async (tx) => acquireLease(tx, request));
  }

  async renewLeases(kept: RenewedLeases): Promise<void> {
    await inTransaction(this.#db, async (tx) => renewLeases(tx, kept));
  }

  async releaseLease(end: LeaseEnd): Promise<void> {
    await inTransaction(this.#db, async (tx) => releaseLease(tx, end));
  }

  async leases(): Promise<readonly Lease[]> {
    return this.#read(leases);
  }

  async record(act: AuditEntry): Promise<void> {
    await inTransaction(this.#db, async (tx) => record(tx, act));
  }

  async acts(filter: ActFilter): Promise<readonly AuditEntry[]> {
    return this.#read(async (db) => acts(db, filter));
  }

  async prune(bygone: Bygone): Promise<'all' | 'more'> {
    return inTransaction(this.#db, async (tx) => prune(tx, bygone));
  }

  async jobSources(since: number): Promise<readonly JobSource[]> {
    return this.#read(async (db) => jobSources(db, since));
  }

  async job(id: string): Promise<Job | undefined> {
    return this.#read(async (db) => job(db, id));
  }

  async jobs(filter: JobFilter): Promise<readonly Job[]> {
    return this.#read(async (db) => jobs(db, filter));
  }

  async queuedPools(): Promise<readonly string[]> {
    return this.#read(queuedPools);
  }

  async claims(): Promise<readonly Claim[]> {
    return this.#read(claims);
  }

  async openSessions(): Promise<readonly Session[]> {
    return this.#read(openSessions);
  }

  async lastSession(of: SessionOwner): Promise<Session | undefined> {
    return this.#read(async (db) => lastSession(db, of));
  }

  async sessionsOf(runners: readonly RunnerName[]): Promise<readonly Session[]> {
    return this.#read(async (db) => sessionsOf(db, runners));
  }

  async signals(pool: string, at: number): Promise<Signals> {
    return this.#read(async (db) => signals(db, pool, at));
  }

  async accounts(): Promise<readonly Account[]> {
    return this.#read(accounts);
  }

  async account(id: string): Promise<Account | undefined> {
    return this.#read(async (db) => account(db, id));
  }

  async installation(id: string): Promise<Installation | undefined> {
    return (await this.#installations.ask(id)).installation;
  }

  async #installation(id: string): Promise<Found> {
    return { installation: await this.#read(async (db) => installation(db, id)) };
  }

  async #installationsById(ids: readonly string[]): Promise<readonly Found[]> {
    const found = await this.#read(async (db) => installationsById(db, ids));
    return found.map((one) => ({ installation: one }));
  }

  async installations(): Promise<readonly Installation[]> {
    return this.#read(installations);
  }

  async usage(): Promise<readonly Usage[]> {
    return this.#read(usage);
  }

  async setLimit(limit: Limit): Promise<void> {
    await inTransaction(this.#db, async (tx) => setLimit(tx, limit));
  }

  async profiles(accountId: string): Promise<readonly Profile[]> {
    return this.#read(async (db) => profiles(db, accountId));
  }

  async putProfile(draft: ProfileDraft): Promise<'changed' | 'unchanged' | ProfileRefusal> {
    return inTransaction(this.#db, async (tx) => putProfile(tx, draft));
  }

  async removeProfile(accountId: string, name: string): Promise<'changed' | 'unchanged' | 'protected'> {
    return inTransaction(this.#db, async (tx) => removeProfile(tx, accountId, name));
  }

  /** Runs an operation that may emit job events. */
  async #change<T>(verb: (tx: Tx) => Promise<T>): Promise<T> {
    return inTransaction(this.#db, verb, this.#reported);
  }

  async #read<T>(read: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    try {
      return await read(this.#db);
    } catch (error) {
      throw databaseFailure(error, { wasCommitting: false });
    }
  }
}
