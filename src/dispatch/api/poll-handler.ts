/** Handles a poll: identifies the Pod by its token and serves that Pod. */
import type { Clock } from '../../platform/clock.ts';
import type { RunnerIdentities } from './token-review/runner-identities.ts';
import type { Dispatcher, PollAnswer } from '../assign/assigner.ts';
import { PollRateLimiter } from './poll-rate-limiter.ts';

export interface PollHandlerPorts {
  readonly dispatcher: Pick<Dispatcher, 'poll'>;
  readonly identities: Pick<RunnerIdentities, 'runner'>;
  readonly clock: Clock;
  /** How long a poll waits for a job. A runner gives up after ten seconds, so the rest is left to hand a job out. */
  readonly waitMs: number;
  /** Called for each answered poll with its outcome and duration. The pool is empty without a valid token. */
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

  /** `left` is aborted when the client disconnects, so that no job goes to a closed connection. */
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

  /** Resolves when all current polls are answered. */
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
