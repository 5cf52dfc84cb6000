/** The store as a model in memory, for the simulator. Each verb is done before anybody else can look. */
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
} from '../../port.ts';
import type { ProfileRefusal } from '../../profile-rules.ts';
import type {
  Abandonment,
  ActFilter,
  Bygone,
  GivenUp,
  JobSource,
  Retirement,
  Turn,
  TurnAnswer,
  TurnEnd,
  TurnRequest,
  TurnsKept,
} from '../../recovery-port.ts';
import type {
  Account,
  ActDraft,
  Claim,
  Delivery,
  Installation,
  Job,
  Limit,
  Profile,
  ProfileDraft,
  RecoveryAct,
  Session,
} from '../../rows.ts';
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
  endTurn,
  giveUp,
  jobSources,
  keepTurns,
  note,
  record,
  settle,
  suspect,
  takeTurn,
  turns,
} from './recovery.ts';
import { signals } from './signals.ts';
import { Tables } from './tables.ts';

export class MemoryStore implements JobStore {
  readonly #tables: Tables;

  /** Whoever must see the rows as they stand, as checkers do, brings them along. */
  constructor(tables = new Tables()) {
    this.#tables = tables;
  }

  async ingest(delivery: Delivery, effect: Effect): Promise<Ingested> {
    // mutation: delivery-once
    if (this.#tables.deliveries.has(delivery.guid)) return 'known';
    this.#tables.deliveries.set(delivery.guid, delivery);
    return applyEffect(this.#tables, effect, 'webhook');
  }

  async apply(effect: Effect, act?: ActDraft): Promise<'changed' | 'unchanged'> {
    const change = applyEffect(this.#tables, effect, 'look');
    return change === 'changed' ? note(this.#tables, act, change) : change;
  }

  async claim(request: ClaimRequest): Promise<readonly ClaimAnswer[]> {
    return claim(this.#tables, request);
  }

  async promote(promotion: Promotion): Promise<'promoted' | 'finished' | 'stale'> {
    return promote(this.#tables, promotion);
  }

  async release(generation: string, act?: ActDraft): Promise<'released' | 'stale'> {
    const answer = release(this.#tables, generation);
    return answer === 'released' ? note(this.#tables, act, answer) : answer;
  }

  async podStopped(stopped: StoppedPod, act?: ActDraft): Promise<readonly Job[]> {
    return podStopped(this.#tables, stopped, act);
  }

  async retire({ pod, at }: Retirement, act?: ActDraft): Promise<'retired' | 'spoken-for'> {
    const { retired } = this.#tables;
    if (this.#tables.isSpokenFor(pod.uid)) return 'spoken-for';
    if (retired.has(pod.uid)) return 'retired';
    retired.set(pod.uid, at);
    return note(this.#tables, act, 'retired');
  }

  async abandon(abandonment: Abandonment, act: ActDraft): Promise<'requeued' | 'busy' | 'stale'> {
    return abandon(this.#tables, abandonment, act);
  }

  async giveUp(givenUp: GivenUp, act: ActDraft): Promise<'given-up' | 'stale'> {
    return giveUp(this.#tables, givenUp, act);
  }

  async settle(generation: string, act: ActDraft): Promise<'settled' | 'live'> {
    return settle(this.#tables, generation, act);
  }

  async suspect(
    worker: string,
    subjects: readonly string[],
    at: number,
  ): Promise<ReadonlyMap<string, number>> {
    return suspect(this.#tables, worker, { subjects, at });
  }

  async takeTurn(request: TurnRequest): Promise<TurnAnswer> {
    return takeTurn(this.#tables, request);
  }

  async keepTurns(kept: TurnsKept): Promise<void> {
    keepTurns(this.#tables, kept);
  }

  async endTurn(end: TurnEnd): Promise<void> {
    endTurn(this.#tables, end);
  }

  async turns(): Promise<readonly Turn[]> {
    return turns(this.#tables);
  }

  async record(act: RecoveryAct): Promise<void> {
    record(this.#tables, act);
  }

  async acts(filter: ActFilter): Promise<readonly RecoveryAct[]> {
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
