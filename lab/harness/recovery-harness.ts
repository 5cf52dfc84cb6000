/**
 * The harness of the recovery workers: the store model unless another store is given, a simulated GitHub behind the
 * product's own client, Pods in memory, and a clock that the test moves.
 */
import { FleetError } from '../../src/platform/errors/fleet-error.ts';
import { RestGitHub } from '../../src/dispatch/github/rest-github.ts';
import type { GitHub, Tenant } from '../../src/dispatch/github/port.ts';
import type { RunnerPods, SeenPod } from '../../src/dispatch/recovery/pods/runner-pods.ts';
import type { RecoveryPorts, Worker } from '../../src/dispatch/recovery/scheduler/worker.ts';
import { runnerNameFor } from '../../src/dispatch/assign/registration.ts';
import { MemoryStore } from '../../src/dispatch/store/model/memory-store.ts';
import { draft, noon, podOf } from '../contracts/store/harness.ts';
import type { JobStore } from '../../src/dispatch/store/port.ts';
import type { Claim, Installation, Job, PodRef, Session } from '../../src/dispatch/store/rows.ts';
import { contractSite } from '../clouds/github/contract/contract-site.ts';
import { GitHubService } from '../clouds/github/service.ts';
import type { GitHubSite } from '../clouds/github/site.ts';
import { TestClock } from './test-clock.ts';

export const minute = 60_000;
const jobLabels = ['self-hosted', 'tuist-linux'];

/** By default a stamped Pod of the pool `linux` with a poll. */
export function seenPod(name: string, other: Partial<SeenPod> = {}): SeenPod {
  return {
    ...podOf(name),
    resourceVersion: '1',
    pool: 'linux',
    isStamped: true,
    stampedAt: noon,
    hasOurStamp: true,
    isServed: false,
    accountId: undefined,
    isTerminating: false,
    isTerminal: false,
    isRunnerLive: false,
    hasRunnerEnded: false,
    ...other,
  };
}

/** A promoted claim on the Pod, for job 1. */
export function claimOn(name: string, other: Partial<Claim> = {}): Claim {
  const { accountId, pool, shape } = draft('1');
  return {
    generation: `g-${name}`,
    jobId: '1',
    accountId,
    pool,
    shape,
    pod: podOf(name),
    state: 'running',
    claimedAt: noon,
    runnerName: `runner-${name}`,
    executedJobId: undefined,
    ...other,
  };
}

/** The open session of that claim. */
export function sessionOn(name: string, other: Partial<Session> = {}): Session {
  const { generation, jobId, accountId, pool, pod } = claimOn(name);
  return {
    id: `s-${name}`,
    generation,
    jobId,
    accountId,
    pool,
    pod,
    runnerName: `runner-${name}`,
    startedAt: noon,
    endedAt: undefined,
    executedJobId: undefined,
    ...other,
  };
}

/** Pods in memory. */
export class FakePods implements RunnerPods {
  readonly all = new Map<string, SeenPod>();

  /** Existing Pods, in the order of their addition. */
  names(): string {
    return [...this.all.values()].map(({ name }) => name).join(' ');
  }

  lists = 0;
  /** The default stamp of the Pods. */
  ownerId: string | undefined;
  /** The failure of the next calls. */
  listFails: Error | undefined;
  /** Runs just before a Pod is removed. */
  meanwhile: () => void = () => undefined;

  add(...pods: readonly SeenPod[]): void {
    for (const pod of pods) this.all.set(pod.uid, { ...pod, accountId: pod.accountId ?? this.ownerId });
  }

  change(name: string, other: Partial<SeenPod>): void {
    const { uid } = podOf(name);
    const known = this.all.get(uid) ?? seenPod(name);
    this.all.set(uid, { ...known, resourceVersion: `${known.resourceVersion}+`, ...other });
  }

  async list(which: 'stamped' | 'all'): Promise<readonly SeenPod[]> {
    this.lists += 1;
    if (this.listFails !== undefined) throw this.listFails;
    return [...this.all.values()].filter(({ isStamped }) => which === 'all' || isStamped);
  }

  async read({ uid }: PodRef): Promise<SeenPod | undefined> {
    return this.all.get(uid);
  }

  async remove({ uid, resourceVersion }: SeenPod): Promise<'deleted' | 'overtaken' | 'gone'> {
    this.meanwhile();
    const now = this.all.get(uid);
    if (now === undefined) return 'gone';
    if (now.resourceVersion !== resourceVersion) return 'overtaken';
    this.all.delete(uid);
    return 'deleted';
  }
}

export interface Served {
  readonly claim: Claim;
  readonly runnerName: string;
  readonly jitConfig: string;
}

export class RecoveryHarness {
  readonly clock = new TestClock(noon);
  readonly store: JobStore;
  readonly pods = new FakePods();
  readonly site: GitHubSite;
  readonly tenant: Tenant;
  readonly accountId: string;
  readonly github: GitHub;
  /** The recorded repairs, by kind. */
  readonly recovered: string[] = [];
  /** Jobs on cooldown, one entry per call. */
  readonly rested: string[] = [];
  readonly said: string[] = [];
  readonly ports: RecoveryPorts;
  /** The routes of the requests to GitHub. */
  readonly asked: string[] = [];
  /** Runs at a request to GitHub, before the answer. */
  onAsked: (route: string) => void = () => undefined;
  /** The answer of the webhook receiver. */
  receiver = 200;
  #ids = 0;
  #goodAt = new Map<string, number>();

  constructor(store: JobStore = new MemoryStore()) {
    this.store = store;
    const { site, tenant, account } = contractSite(this.clock, async () => this.receiver);
    this.site = site;
    this.tenant = tenant;
    this.accountId = account.id;
    this.pods.ownerId = account.id;
    const service = new GitHubService(site);
    this.github = new RestGitHub(
      {
        asApp: async (asked) =>
          this.#ask(asked.route, () => service.apply({ caller: 'app', asked }, { faults: [] })),
        withToken: async (token, asked) =>
          this.#ask(asked.route, () =>
            service.apply({ caller: { token: token.reveal() }, asked }, { faults: [] }),
          ),
      },
      this.clock,
    );
    this.ports = {
      store: this.store,
      pods: this.pods,
      github: this.github,
      clock: this.clock,
      newId: () => this.newId(),
      recovered: (kind) => void this.recovered.push(kind),
      restAfterLoss: (jobId) => void this.rested.push(jobId),
      say: (happened) => void this.said.push(happened),
    };
  }

  newId(): string {
    return `${(this.#ids += 1).toString(16).padStart(8, '0')}-id`;
  }

  async install(state: Installation['state'] = 'active'): Promise<void> {
    const { installationId: id } = this.tenant;
    await this.store.apply({
      kind: 'install',
      account: { id: this.accountId, login: 'octo-org' },
      installation: { id, accountId: this.accountId, state },
    });
  }

  /** From now on registrations are removed, but the answers are lost. */
  loseRemovals(): void {
    const remove = this.github.removeRunner.bind(this.github);
    this.github.removeRunner = async (...given) => {
      await remove(...given);
      throw new FleetError('unavailable', { reason: 'Unavailable', message: 'the answer was lost' });
    };
  }

  /** Queues a job at GitHub, by default known to dispatch; returns its id. */
  async queueJob({ isKnown = true, labels = jobLabels } = {}): Promise<string> {
    const repository = this.site.directory.repository(this.tenant.repository);
    if (repository === undefined) throw new Error('there is no such repository');
    const { id } = this.site.board.order({ repository, labels });
    if (isKnown) await this.store.apply({ kind: 'enqueue', job: this.draftOf(id) });
    return id;
  }

  draftOf(id: string) {
    const { installationId, repository } = this.tenant;
    const { accountId } = this;
    return draft(id, { accountId, installationId, repository, queuedAt: this.clock.now() });
  }

  async claim(podName: string): Promise<Claim> {
    const [answer] = await this.store.claim({
      pool: 'linux',
      pods: [{ ...podOf(podName), generation: this.newId() }],
      at: this.clock.now(),
      queuedAfter: 0,
      except: { jobs: new Set(), repositories: new Set(), accounts: new Set() },
    });
    if (answer?.kind !== 'claimed') throw new Error(`${podName} got no claim but: ${answer?.kind}`);
    return answer.claim;
  }

  /** A Pod with a registration, as far as dispatch knows. */
  async serve(podName: string): Promise<Served> {
    const claim = await this.claim(podName);
    const name = runnerNameFor(podName, this.newId());
    const order = { ...this.tenant, name, labels: jobLabels, workFolder: '/' };
    const { jitConfig } = await this.github.register(order);
    const { generation } = claim;
    await this.store.promote({ generation, runnerName: name, sessionId: this.newId(), at: this.clock.now() });
    this.pods.add(seenPod(podName, { stampedAt: this.clock.now(), isServed: true, isRunnerLive: true }));
    return { claim, runnerName: name, jitConfig: jitConfig.reveal() };
  }

  /** Starts the runner of a Pod; its job takes this long. */
  async runFor({ jitConfig }: Served, jobMs: number): Promise<void> {
    const script = { fate: 'works', comesAfterMs: 10, conclusion: 'success', reportsAfterMs: 0 } as const;
    this.site.hall.start(jitConfig, { ...script, jobMs });
    await this.clock.pass(10_000);
  }

  /** One run of a worker, some time after the last. */
  async round(worker: Worker, afterMs = minute): Promise<void> {
    await this.clock.pass(afterMs);
    const at = this.clock.now();
    await worker.run({ at, goodAt: this.#goodAt.get(worker.name) });
    this.#goodAt.set(worker.name, at);
  }

  async job(id: string): Promise<Job> {
    const job = await this.store.job(id);
    if (job === undefined) throw new Error(`there is no job ${id}`);
    return job;
  }

  /** The outcomes of all audit entries, oldest first. */
  async outcomes(): Promise<readonly string[]> {
    const acts = await this.store.acts({ limit: 100 });
    return acts.toReversed().map(({ kind, outcome }) => `${kind}: ${outcome}`);
  }

  async #ask<T>(route: string, answer: () => T): Promise<T> {
    this.asked.push(route);
    this.onAsked(route);
    return answer();
  }
}
