/**
 * What is not tried for a while because it just failed for a reason of its own: an account whose App may not register
 * runners, a repository that GitHub does not show us. Without it, every Pod that polls would fail on the same job first.
 * Each replica has its own and may forget it; forgetting costs one more failure.
 */
import { backoffMs, type Backoff } from '../../platform/backoff.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Exceptions } from '../store/port.ts';

export type CooldownKind = 'jobs' | 'repositories' | 'accounts';
/** Jobs whose runner was registered and then lost, of which a registration that works says nothing. */
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

  /** Accounts that are well, and for which there is no room; until when. */
  readonly #passedOver = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** It failed: it rests, twice as long as the last time. */
  add(kind: CooldownKind, id: string): void {
    this.#add(kind, id);
  }

  /** The runner that it was handed to is lost: where none can start, it would take Pod after Pod. */
  lost(jobId: string): void {
    this.#add('lost', jobId);
  }

  #add(kind: CooldownTable, id: string): void {
    const failures = (this.#rests[kind].get(id)?.failures ?? 0) + 1;
    this.#rests[kind].set(id, { until: this.#clock.now() + backoffMs(backoff, failures), failures });
  }

  /** Nothing is wrong with the account, so that this is no failure to remember: it is only not tried before then. */
  skipUntil(accountId: string, until: number): void {
    this.#passedOver.set(accountId, Math.max(until, this.#passedOver.get(accountId) ?? 0));
  }

  /** It worked, so that nothing is left to remember. */
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
    // One that was well for as long as the longest rest is forgotten.
    for (const [id, { until }] of rests) if (until + backoff.maxMs < now) rests.delete(id);
    return new Set([...rests].filter(([, { until }]) => until > now).map(([id]) => id));
  }
}
