/** The store as a model in memory, for the simulator. Operations are atomic, since each runs without interruption. */
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
import { claim, promote, release } from './claims.ts';
import { applyEffect } from './effects.ts';
import { podStopped } from './pods.ts';
import { profiles, putProfile, removeProfile } from './profiles.ts';
import { prune } from './prune.ts';
import {
  accounts,
  claims,
  installations,
  jobs,
  lastSession,
  openSessions,
  queuedPools,
  sessionsOf,
  usage,
} from './reads.ts';
import {
  abandon,
  acts,
  releaseLease,
  giveUp,
  jobSources,
  renewLeases,
  note,
  record,
  settle,
  suspect,
  acquireLease,
  leases,
} from './recovery.ts';
import { signals } from './signals.ts';
import { Tables } from './tables.ts';

export class MemoryStore implements JobStore {
  readonly #tables: Tables;

  /** Callers that must read the raw rows, such as checkers, pass their own tables. */
  constructor(tables = new Tables()) {
    this.#tables = tables;
  }

  async ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    // mutation: delivery-once
    if (this.#tables.deliveries.has(delivery.guid)) return 'known';
    this.#tables.deliveries.set(delivery.guid, delivery);
    return applyEffect(this.#tables, effect, 'webhook');
  }

  async apply(effect: Effect, act?: AuditDraft): Promise<'changed' | 'unchanged'> {
    const change = applyEffect(this.#tables, effect, 'look');
    return change === 'changed' ? note(this.#tables, act, change) : change;
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
    return claim(this.#tables, request);
  }

  async promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'> {
    return promote(this.#tables, promotion);
  }

  async release(generation: string, act?: AuditDraft): Promise<'released' | 'stale'> {
    const answer = release(this.#tables, generation);
    return answer === 'released' ? note(this.#tables, act, answer) : answer;
  }

  async podStopped(stopped: StoppedPod, act?: AuditDraft): Promise<readonly Job[]> {
    return podStopped(this.#tables, stopped, act);
  }

  async block({ pod, at }: Retirement, act?: AuditDraft): Promise<'retired' | 'in-use'> {
    const { retired } = this.#tables;
    if (this.#tables.isInUse(pod.uid)) return 'in-use';
    if (retired.has(pod.uid)) return 'retired';
    retired.set(pod.uid, at);
    return note(this.#tables, act, 'retired');
  }

  async abandon(abandonment: Abandonment, act: AuditDraft): Promise<'requeued' | 'busy' | 'stale'> {
    return abandon(this.#tables, abandonment, act);
  }

  async giveUp(givenUp: GivenUp, act: AuditDraft): Promise<'given-up' | 'stale'> {
    return giveUp(this.#tables, givenUp, act);
  }

  async settle(generation: string, act: AuditDraft): Promise<'settled' | 'live'> {
    return settle(this.#tables, generation, act);
  }

  async suspect(
    worker: string,
    subjects: readonly string[],
    at: number,
  ): Promise<ReadonlyMap<string, number>> {
    return suspect(this.#tables, worker, { subjects, at });
  }

  async acquireLease(request: LeaseRequest): Promise<LeaseAnswer> {
    return acquireLease(this.#tables, request);
  }

  async renewLeases(kept: RenewedLeases): Promise<void> {
    renewLeases(this.#tables, kept);
  }

  async releaseLease(end: LeaseEnd): Promise<void> {
    releaseLease(this.#tables, end);
  }

  async leases(): Promise<readonly Lease[]> {
    return leases(this.#tables);
  }

  async record(act: AuditEntry): Promise<void> {
    record(this.#tables, act);
  }

  async acts(filter: ActFilter): Promise<readonly AuditEntry[]> {
    return acts(this.#tables, filter);
  }

  async prune(bygone: Bygone): Promise<'all' | 'more'> {
    return prune(this.#tables, bygone);
  }

  async jobSources(since: number): Promise<readonly JobSource[]> {
    return jobSources(this.#tables, since);
  }

  async job(id: string): Promise<Job | undefined> {
    return this.#tables.jobs.get(id);
  }

  async jobs(filter: JobFilter): Promise<readonly Job[]> {
    return jobs(this.#tables, filter);
  }

  async queuedPools(): Promise<readonly string[]> {
    return queuedPools(this.#tables);
  }

  async claims(): Promise<readonly Claim[]> {
    return claims(this.#tables);
  }

  async openSessions(): Promise<readonly Session[]> {
    return openSessions(this.#tables);
  }

  async lastSession(of: SessionOwner): Promise<Session | undefined> {
    return lastSession(this.#tables, of);
  }

  async sessionsOf(runners: readonly RunnerName[]): Promise<readonly Session[]> {
    return sessionsOf(this.#tables, runners);
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

  async profiles(accountId: string): Promise<readonly Profile[]> {
    return profiles(this.#tables, accountId);
  }

  async putProfile(draft: ProfileDraft): Promise<'changed' | 'unchanged' | ProfileRefusal> {
    return putProfile(this.#tables, draft);
  }

  async removeProfile(accountId: string, name: string): Promise<'changed' | 'unchanged' | 'protected'> {
    return removeProfile(this.#tables, accountId, name);
  }
}
