/** Where a poll comes in: whose token it is decides which Pod asks, and that Pod is served. */
import type { Clock } from '../../platform/clock.ts';
import type { RunnerIdentities } from './token-review/runner-identities.ts';
import type { Dispatcher, PollAnswer } from '../assign/assigner.ts';
import { PollRateLimiter } from './poll-rate-limiter.ts';

export interface PollHandlerPorts {
  readonly dispatcher: Pick<Dispatcher, 'poll'>;
  readonly identities: Pick<RunnerIdentities, 'runner'>;
  readonly clock: Clock;
  /** How long a poll waits for a job: enough less than the ten seconds after which a runner gives up to hand one out. */
  readonly waitMs: number;
  /** Told of each poll that was answered, how, and after how long. Without a good token it is of no pool. */
  readonly counted: (pool: string, outcome: PollOutcome, tookMs: number) => void;
}

export type PollOutcome = PollAnswer['kind'] | 'unauthorized' | 'failed';

export class PollHandler {
  readonly #ports: PollHandlerPorts;
  readonly #open = new Set<Promise<unknown>>();
  readonly #pace = new PollRateLimiter();

  constructor(ports: PollHandlerPorts) {
    this.#ports = ports;
  }

  /** `left` is aborted when whoever asks has gone, so that nothing is handed to nobody. */
  async poll(
    token: string | undefined,
    left: AbortSignal,
  ): Promise<PollAnswer | { readonly kind: 'unauthorized' }> {
    const served = this.#serve(token, left);
    this.#open.add(served);
    try {
      return await served;
    } finally {
      this.#open.delete(served);
    }
  }

  /** All polls that have begun are answered. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#open);
  }

  async #serve(
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<PollAnswer | { readonly kind: 'unauthorized' }> {
    const { dispatcher, identities, waitMs, clock, counted } = this.#ports;
    const askedAt = clock.now();
    let pool = '';
    let outcome: PollOutcome = 'failed';
    try {
      const runner = token === undefined ? undefined : await identities.runner(token);
      pool = runner?.pool ?? '';
      if (runner !== undefined) this.#pace.count(runner.pod, askedAt);
      const answer =
        runner === undefined
          ? ({ kind: 'unauthorized' } as const)
          : await dispatcher.poll({ ...runner, askedAt, waitMs, signal });
      outcome = answer.kind;
      return answer;
    } finally {
      counted(pool, outcome, Math.max(0, clock.now() - askedAt));
    }
  }
}
