/** The store in PostgreSQL: each verb is a file of its own and one transaction. */
import type { Kysely } from 'kysely';
import type {
  ClaimAnswer,
  ClaimRequest,
  Effect,
  Ingested,
  JobFilter,
  JobStore,
  Promotion,
  Signals,
  StoppedPod,
  Usage,
} from '../port.ts';
import type { Account, Claim, Delivery, Installation, Job, Limit, PodRef, Session } from '../rows.ts';
import { claim } from './claim.ts';
import { applyEffect } from './effects.ts';
import { databaseFailure } from './failure.ts';
import { ingest } from './ingest.ts';
import { podStopped, retire } from './pods.ts';
import { promote } from './promote.ts';
import {
  account,
  accounts,
  claims,
  installation,
  installations,
  job,
  jobs,
  openSessions,
  usage,
} from './reads.ts';
import { release } from './release.ts';
import type { Schema } from './schema.ts';
import { setLimit } from './set-limit.ts';
import { signals } from './signals.ts';
import { inTransaction } from './transaction.ts';

export class PostgresStore implements JobStore {
  readonly #db: Kysely<Schema>;

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  async ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    return inTransaction(this.#db, async (tx) => ingest(tx, delivery, effect));
  }

  async apply(effect: Effect): Promise<'changed' | 'unchanged'> {
    return inTransaction(this.#db, async (tx) => applyEffect(tx, effect));
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
    return inTransaction(this.#db, async (tx) => claim(tx, request));
  }

  async promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'> {
    return inTransaction(this.#db, async (tx) => promote(tx, promotion));
  }

  async release(generation: string): Promise<'released' | 'stale'> {
    return inTransaction(this.#db, async (tx) => release(tx, generation));
  }

  async podStopped(stopped: StoppedPod): Promise<readonly Job[]> {
    return inTransaction(this.#db, async (tx) => podStopped(tx, stopped));
  }

  async retire(pool: string, pod: PodRef, at: number): Promise<'retired' | 'spoken-for'> {
    return inTransaction(this.#db, async (tx) => retire(tx, { pool, pod, at }));
  }

  async job(id: string): Promise<Job | undefined> {
    return this.#read(async (db) => job(db, id));
  }

  async jobs(filter: JobFilter): Promise<readonly Job[]> {
    return this.#read(async (db) => jobs(db, filter));
  }

  async claims(): Promise<readonly Claim[]> {
    return this.#read(claims);
  }

  async openSessions(): Promise<readonly Session[]> {
    return this.#read(openSessions);
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
    return this.#read(async (db) => installation(db, id));
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

  async #read<T>(read: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
    try {
      return await read(this.#db);
    } catch (error) {
      throw databaseFailure(error, { wasCommitting: false });
    }
  }
}
