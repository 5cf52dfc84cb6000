/** The store as a model in memory, for the simulator. Each verb is done before anybody else can look. */
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
} from '../../port.ts';
import type { Account, Claim, Delivery, Installation, Job, Limit, PodRef, Session } from '../../rows.ts';
import { claim, promote, release } from './claims.ts';
import { applyEffect } from './effects.ts';
import { podStopped } from './pods.ts';
import { accounts, claims, installations, jobs, openSessions, usage } from './reads.ts';
import { signals } from './signals.ts';
import { Tables } from './tables.ts';

export class MemoryStore implements JobStore {
  readonly #tables = new Tables();

  async ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    if (this.#tables.deliveries.has(delivery.guid)) return 'known';
    this.#tables.deliveries.set(delivery.guid, delivery);
    return applyEffect(this.#tables, effect);
  }

  async apply(effect: Effect): Promise<'changed' | 'unchanged'> {
    return applyEffect(this.#tables, effect);
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
    return claim(this.#tables, request);
  }

  async promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'> {
    return promote(this.#tables, promotion);
  }

  async release(generation: string): Promise<'released' | 'stale'> {
    return release(this.#tables, generation);
  }

  async podStopped(stopped: StoppedPod): Promise<readonly Job[]> {
    return podStopped(this.#tables, stopped);
  }

  async retire(_pool: string, pod: PodRef): Promise<'retired' | 'spoken-for'> {
    if (this.#tables.isSpokenFor(pod.uid)) return 'spoken-for';
    this.#tables.retired.add(pod.uid);
    return 'retired';
  }

  async job(id: string): Promise<Job | undefined> {
    return this.#tables.jobs.get(id);
  }

  async jobs(filter: JobFilter): Promise<readonly Job[]> {
    return jobs(this.#tables, filter);
  }

  async claims(): Promise<readonly Claim[]> {
    return claims(this.#tables);
  }

  async openSessions(): Promise<readonly Session[]> {
    return openSessions(this.#tables);
  }

  async signals(pool: string, at: number): Promise<Signals> {
    return signals(this.#tables, pool, at);
  }

  async accounts(): Promise<readonly Account[]> {
    return accounts(this.#tables);
  }

  async account(id: string): Promise<Account | undefined> {
    return this.#tables.accounts.get(id);
  }

  async installation(id: string): Promise<Installation | undefined> {
    return this.#tables.installations.get(id);
  }

  async installations(): Promise<readonly Installation[]> {
    return installations(this.#tables);
  }

  async usage(): Promise<readonly Usage[]> {
    return usage(this.#tables);
  }

  async setLimit(limit: Limit): Promise<void> {
    this.#tables.setLimit(limit);
  }
}
