/** More Pods of one organisation than GitHub's rate limit allows at once, on one replica, in virtual time. */
import { beforeEach, describe, expect, it } from 'vitest';
import { RecoveryHarness } from '../../../lab/harness/recovery-harness.ts';
import type { RunnerOrder } from '../github/port.ts';
import { podOf } from '../../../lab/contracts/store/harness.ts';
import { ParkedPolls } from './parked-polls.ts';
import { Dispatcher } from './assigner.ts';
import type { RunnerPod } from './runner-pod-labels.ts';
import { Cooldowns } from './cooldowns.ts';

const count = 300;
const second = 1000;
/** How long a Pod waits for an answer, and when it polls again. */
const patienceMs = 10 * second;
const againMs = 12 * second;
/** How long GitHub takes to register a runner. */
const takesMs = 300;

class Crowd {
  readonly harness = new RecoveryHarness();
  /** When each Pod was served, since the start. */
  readonly servedAt = new Map<string, number>();
  readonly registered: RunnerOrder[] = [];
  readonly #dispatcher: Dispatcher;
  readonly #pods = new Map<string, RunnerPod>();
  readonly #startedAt: number;

  constructor() {
    const { store, clock, github } = this.harness;
    const newId = (): string => this.harness.newId();
    const cooldowns = new Cooldowns(clock);
    this.#startedAt = clock.now();
    this.#dispatcher = new Dispatcher({
      store,
      parkedPolls: new ParkedPolls({ store, clock, newGeneration: newId, except: () => cooldowns.now() }),
      clock,
      newId,
      cooldowns,
      pods: {
        read: async ({ name }) => this.#podOf(name),
        stamp: async ({ name }, { owner, generation }) => {
          this.#pods.set(name, { ...this.#podOf(name), owner: owner.login, stampedFor: generation });
          return 'stamped';
        },
        markServed: async () => 'stamped',
        unstamp: async ({ name }) => {
          this.#pods.set(name, { ...this.#podOf(name), owner: undefined, stampedFor: undefined });
        },
      },
      github: {
        register: async (order, listener) => {
          const registration = await github.register(order, listener);
          this.registered.push(order);
          await new Promise<void>((resolve) => void clock.after(takesMs, resolve));
          return registration;
        },
        removeRunner: async (tenant, runner) => github.removeRunner(tenant, runner),
      },
      pool: () => ({ image: 'image@1', runnerLabels: ['self-hosted'] }),
      account: async (id) => (await store.accounts()).find((account) => account.id === id),
      say: () => undefined,
    });
  }

  #podOf(name: string): RunnerPod {
    const free = { resourceVersion: '1', owner: undefined, stampedFor: undefined, isServed: false };
    const image = { image: 'image@1', isDrained: false, isDrainEligible: false };
    return this.#pods.get(name) ?? { ...podOf(name), ...free, ...image };
  }

  get names(): readonly string[] {
    return Array.from({ length: count }, (_, index) => `linux-${index}`);
  }

  async prepare(): Promise<void> {
    const { harness } = this;
    await harness.install();
    const limit = { accountId: harness.accountId, platform: 'linux', vcpus: 9999, memoryGb: 9999 } as const;
    await harness.store.setLimit(limit);
    for (let index = 0; index < count; index += 1) await harness.queueJob();
  }

  /** Polls once, and disconnects after a while. */
  async ask(name: string): Promise<void> {
    const { clock } = this.harness;
    const left = new AbortController();
    const stop = clock.after(patienceMs, () => left.abort());
    const asked = { pool: 'linux', pod: podOf(name), askedAt: clock.now(), waitMs: 7 * second };
    const answer = await this.#dispatcher.poll({ ...asked, signal: left.signal });
    if (answer.kind === 'served' && !left.signal.aborted)
      this.servedAt.set(name, clock.now() - this.#startedAt);
    stop();
  }

  /** All unserved Pods poll, again and again until all are served, or for this many rounds. */
  async askInRounds(rounds: number): Promise<void> {
    for (let round = 0; round < rounds && this.servedAt.size < count; round += 1) {
      for (const name of this.names) if (!this.servedAt.has(name)) void this.ask(name);
      await this.harness.clock.settle();
      await this.harness.clock.pass(againMs);
    }
  }
}

describe('of 300 Pods that poll at once and every twelve seconds', () => {
  let crowd: Crowd;
  beforeEach(async () => {
    crowd = new Crowd();
    await crowd.prepare();
  });

  it('all are served at five registrations a second, and no registration is wasted', async () => {
    await crowd.askInRounds(10);
    expect(crowd.servedAt.size).toBe(count);
    expect(Math.max(...crowd.servedAt.values())).toBeLessThan(75 * second);
    expect(crowd.registered).toHaveLength(count);
    expect(await crowd.harness.store.openSessions()).toHaveLength(count);
  });

  it('unserved polls leave nothing behind', async () => {
    await crowd.askInRounds(1);
    const served = crowd.servedAt.size;
    expect(served).toBeGreaterThanOrEqual(60);
    expect([crowd.registered.length, (await crowd.harness.store.claims()).length]).toEqual([served, served]);
  });
});
