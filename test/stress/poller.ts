/**
 * One runner Pod after another, as one of many pollers of a worker: it polls, and then acts like Pods and replicas do.
 * Most serve the job; some release the claim, some drop it, some delay until the claim is no longer theirs.
 */
import { isFleetError } from '../../src/platform/errors/fleet-error.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { Random } from '../../src/platform/random.ts';
import type { ClaimAnswer, JobStore } from '../../src/dispatch/store/port.ts';
import type { PodRef } from '../../src/dispatch/store/rows.ts';
import type { NotAttempted, ParkedPolls } from '../../src/dispatch/assign/parked-polls.ts';
import { deliveryOf, podOf, staleAfterMs } from './plan.ts';
import type { Report } from './words.ts';

export interface PollerPorts {
  readonly store: JobStore;
  /** Like two replicas: a Pod may poll the second one while the first still tries to claim. */
  readonly rooms: readonly [ParkedPolls, ParkedPolls];
  readonly clock: Clock;
  readonly random: Random;
  readonly newId: () => string;
  readonly report: (report: Report) => void;
  readonly count: (what: string) => void;
}

export interface PollerOptions {
  readonly number: number;
  readonly pool: string;
  /** Left waiting by a killed worker. */
  readonly pod: string | null;
  readonly stopping: AbortSignal;
}

type Claimed = Extract<ClaimAnswer, { kind: 'claimed' }>;

/** What happens to a claim, in hundredths; the rest is served. */
const oddities: readonly (readonly [share: number, what: 'release' | 'forget' | 'vanish' | 'oversleep'])[] = [
  [6, 'release'],
  [4, 'forget'],
  [2, 'vanish'],
  [2, 'oversleep'],
];
const askTwiceShare = 0.03;
const hangUpShare = 0.03;
const waitMaxMs = 400;
const workMaxMs = 12;

export class Poller {
  readonly #options: PollerOptions;
  readonly #ports: PollerPorts;
  #pod: PodRef | undefined;

  constructor(options: PollerOptions, ports: PollerPorts) {
    this.#options = options;
    this.#ports = ports;
    const { pod } = options;
    if (pod !== null) this.#pod = { name: pod, uid: pod };
  }

  async run(): Promise<void> {
    while (!this.#options.stopping.aborted)
      try {
        await this.#round();
      } catch (error) {
        if (!isFleetError(error)) throw error;
        this.#ports.count(`failed: ${error.reason}`);
      }
  }

  async #round(): Promise<void> {
    const pod = this.#pod ?? this.#newPod();
    const answer = await this.#ask(pod);
    if (answer.kind === 'nothing' || answer.kind === 'not-attempted') return;
    if (answer.kind === 'taken') {
      this.#ports.count(`taken: ${answer.why}`);
      this.#remove(pod);
      return;
    }
    this.#ports.count('claims');
    await this.#deal(answer);
  }

  #newPod(): PodRef {
    const uid = podOf(this.#options.pool, this.#ports.newId());
    this.#pod = { name: uid, uid };
    this.#ports.report({ kind: 'pod', poller: this.#options.number, uid });
    return this.#pod;
  }

  #remove({ uid }: PodRef): void {
    this.#pod = undefined;
    this.#ports.report({ kind: 'left', uid });
  }

  async #ask(pod: PodRef): Promise<ClaimAnswer | NotAttempted> {
    const { rooms, random, clock } = this.#ports;
    const caller = new AbortController();
    const requirements = { pool: this.#options.pool, pod, waitMs: 1 + random.next() * waitMaxMs };
    if (random.next() < askTwiceShare) {
      // The first connection was cut without notice to the replica: both may claim for the Pod.
      const [first, second] = await Promise.all([
        rooms[0].wait({ ...requirements, signal: caller.signal }),
        rooms[1].wait({ ...requirements, signal: caller.signal }),
      ]);
      if (first.kind === 'claimed') await this.#release(first);
      return second;
    }
    if (random.next() >= hangUpShare) return rooms[0].wait({ ...requirements, signal: caller.signal });
    clock.after(random.next() * 10, () => caller.abort());
    const answer = await rooms[0].wait({ ...requirements, signal: caller.signal });
    if (answer.kind !== 'claimed') return answer;
    await this.#release(answer);
    return { kind: 'nothing', pod };
  }

  async #deal(claimed: Claimed): Promise<void> {
    const what = this.#drawOddity();
    if (what !== undefined) this.#ports.count(what);
    if (what === 'forget') return;
    if (what === 'release') return this.#release(claimed);
    if (what === 'vanish') return this.#remove(claimed.pod);
    if (what === 'oversleep') await this.#sleep(staleAfterMs * 2);
    await this.#serve(claimed);
  }

  #drawOddity() {
    let drawn = this.#ports.random.next() * 100;
    return oddities.find(([share]) => (drawn -= share) < 0)?.[1];
  }

  async #release({ claim }: Claimed): Promise<void> {
    this.#ports.count(`release: ${await this.#ports.store.release(claim.generation)}`);
  }

  async #serve(claimed: Claimed): Promise<void> {
    const { store, clock, newId, report, count } = this.#ports;
    const { claim, job } = claimed;
    const runnerName = `runner-${claim.generation}`;
    const promotion = { generation: claim.generation, runnerName, sessionId: newId(), at: clock.now() };
    const result = await store.promote(promotion);
    count(`promote: ${result}`);
    if (result !== 'promoted') return this.#release(claimed);
    report({ kind: 'promoted', job: job.id, generation: claim.generation, uid: claim.pod.uid });
    try {
      await this.#work(claimed, runnerName);
    } finally {
      // A Pod takes one job in its life, whatever the result.
      this.#remove(claim.pod);
    }
  }

  async #work(claimed: Claimed, runnerName: string): Promise<void> {
    const { random } = this.#ports;
    await this.#sleep(random.next() * workMaxMs);
    const steps = [async () => this.#complete(claimed, runnerName), async () => this.#stop(claimed.pod)];
    // GitHub may report the end of the job before or after the end of the Pod is seen.
    for (const step of random.next() < 0.5 ? steps : steps.toReversed()) await step();
  }

  async #complete({ job }: Claimed, runnerName: string): Promise<void> {
    const { store, clock, report } = this.#ports;
    const at = clock.now();
    const end = { runnerName, startedAt: at, conclusion: 'success', at };
    const outcome = await store.ingest(deliveryOf(job.id, 'completed', at), { kind: 'complete', job, end });
    report({ kind: 'completed', job: job.id, outcome });
  }

  async #stop(pod: PodRef): Promise<void> {
    const { store, clock } = this.#ports;
    await store.podStopped({ pod, at: clock.now(), ending: undefined });
  }

  async #sleep(ms: number): Promise<void> {
    await new Promise<void>((resolve) => void this.#ports.clock.after(ms, resolve));
  }
}
