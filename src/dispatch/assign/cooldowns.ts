/**
 * Cooldowns for jobs, repositories and accounts that just failed for a reason of their own, such as an account whose
 * App may not register runners. Without cooldowns, every polling Pod would fail on the same job first. Each replica
 * keeps its own in memory; a restart costs one more failure.
 */
import { backoffMs, type Backoff } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Exceptions } from '../store/port.ts';

export type CooldownKind = 'jobs' | 'repositories' | 'accounts';
/** `lost`: jobs whose runner was registered and then lost. A successful registration does not end these cooldowns. */
type CooldownTable = CooldownKind | 'lost';

const backoff: Backoff = { firstMs: 5_000, maxMs: 300_000 };

interface Rest {
  readonly until: number;
  readonly failures: number;
}

export class Cooldowns {
  readonly #clock: Clock;
  readonly #rests: Readonly<Record<CooldownTable, Map<string, Rest>>> = {
    jobs: new Map(),
    repositories: new Map(),
    accounts: new Map(),
    lost: new Map(),
  };

  /** Accounts that hit their registration rate limit, by the time until which they are skipped. */
  readonly #passedOver = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts a cooldown after a failure; each is twice as long as the last. */
  add(kind: CooldownKind, id: string): void {
    this.#add(kind, id);
  }

  /** Starts a cooldown after a lost runner: where no runner can start, the job would use up Pod after Pod. */
  lost(jobId: string): void {
    this.#add('lost', jobId);
  }

  #add(kind: CooldownTable, id: string): void {
    const failures = (this.#rests[kind].get(id)?.failures ?? 0) + 1;
    this.#rests[kind].set(id, { until: this.#clock.now() + backoffMs(backoff, failures), failures });
  }

  /** Skips an account that did not fail; the next failure does not count this one. */
  skipUntil(accountId: string, until: number): void {
    this.#passedOver.set(accountId, Math.max(until, this.#passedOver.get(accountId) ?? 0));
  }

  /** Ends all cooldowns after a success. */
  clear({ jobs, repositories, accounts }: Readonly<Record<CooldownKind, string>>): void {
    this.#rests.jobs.delete(jobs);
    this.#rests.repositories.delete(repositories);
    this.#rests.accounts.delete(accounts);
  }

  now(): Exceptions {
    return {
      jobs: this.#resting('jobs').union(this.#resting('lost')),
      repositories: this.#resting('repositories'),
      accounts: this.#resting('accounts').union(this.#crowded()),
    };
  }

  #crowded(): ReadonlySet<string> {
    const now = this.#clock.now();
    for (const [id, until] of this.#passedOver) if (until <= now) this.#passedOver.delete(id);
    return new Set(this.#passedOver.keys());
  }

  #resting(kind: CooldownTable): Set<string> {
    const now = this.#clock.now();
    const rests = this.#rests[kind];
    // Forget a cooldown that ended longer ago than the longest cooldown.
    for (const [id, { until }] of rests) if (until + backoff.maxMs < now) rests.delete(id);
    return new Set([...rests].filter(([, { until }]) => until > now).map(([id]) => id));
  }
}
