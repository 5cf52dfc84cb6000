/** The harness of the rules: a new store, an account or two, and short verbs for events. */
import type { JobEvent } from '../../../src/dispatch/store/job-events.ts';
import type { ClaimAnswer, Effect, Exceptions, JobEnd, JobStore } from '../../../src/dispatch/store/port.ts';
import type {
  AuditDraft,
  Claim,
  Installation,
  JobDraft,
  PodRef,
  Shape,
} from '../../../src/dispatch/store/rows.ts';

/** A fixed moment; everything in a rule happens in the minutes after it. */
export const noon = 1_767_225_600_000;
export const linux: Shape = { platform: 'linux', vcpus: 4, memoryGb: 8 };
const nothing: Exceptions = { jobs: new Set(), repositories: new Set(), accounts: new Set() };

interface Ask {
  readonly pool?: string;
  readonly at?: number;
  readonly queuedAfter?: number;
  readonly except?: Partial<Exceptions>;
}

export class Fixture {
  readonly store: JobStore;
  /** The events of the store so far. */
  readonly reported: readonly JobEvent[];
  #generations = 0;
  #deliveries = 0;

  constructor(store: JobStore, reported: readonly JobEvent[] = []) {
    this.store = store;
    this.reported = reported;
  }

  async account(id: string, budget?: { readonly vcpus: number; readonly memoryGb: number }): Promise<void> {
    await this.installed(id, 'active');
    if (budget !== undefined) await this.store.setLimit({ accountId: id, platform: 'linux', ...budget });
  }

  /** Sets the state of the App in an account. */
  async installed(accountId: string, state: Installation['state'], id = accountId): Promise<void> {
    const account = { id: accountId, login: `org-${accountId}` };
    await this.store.apply({ kind: 'install', account, installation: { id, accountId, state } });
  }

  async deliver(effect: Effect, guid = `delivery ${(this.#deliveries += 1)}`): Promise<string> {
    const delivery = { guid, event: 'workflow_job', action: effect.kind, receivedAt: noon };
    return this.store.ingest(delivery, effect);
  }

  async queued(...drafts: readonly JobDraft[]): Promise<void> {
    for (const job of drafts) await this.deliver({ kind: 'enqueue', job });
  }

  /** Claims for several Pods; returns one answer for each Pod. */
  async ask(pods: readonly string[], { pool = 'linux', at = noon, queuedAfter = 0, except }: Ask = {}) {
    return this.store.claim({
      pool,
      pods: pods.map((name) => ({ ...podOf(name), generation: `g${(this.#generations += 1)}` })),
      at,
      queuedAfter,
      except: { ...nothing, ...except },
    });
  }

  /** Returns the claim that a single Pod gets. */
  async claim(pod: string, ask?: Ask): Promise<Claim> {
    const [answer] = await this.ask([pod], ask);
    if (answer?.kind !== 'claimed') throw new Error(`${pod} got no claim but: ${answer?.kind}`);
    return answer.claim;
  }

  async promote({ generation }: Pick<Claim, 'generation'>, runnerName: string): Promise<string> {
    return this.store.promote({ generation, runnerName, sessionId: `session of ${generation}`, at: noon });
  }

  /** Claims and promotes: the Pod has a registration. */
  async serve(pod: string, runnerName: string, ask?: Ask): Promise<Claim> {
    const claim = await this.claim(pod, ask);
    await this.promote(claim, runnerName);
    return claim;
  }

  async stop(pod: string) {
    return this.store.podStopped({ pod: podOf(pod), at: noon, ending: undefined });
  }

  async retire(pod: string): Promise<string> {
    return this.store.block({ pool: 'linux', pod: podOf(pod), at: noon });
  }

  async stateOf({ id }: JobDraft): Promise<string | undefined> {
    return (await this.store.job(id))?.state;
  }

  async claimedPods(): Promise<readonly string[]> {
    return (await this.store.claims()).map((claim) => claim.pod.name);
  }
}

export function podOf(name: string): PodRef {
  return { name, uid: `uid of ${name}` };
}

/** An audit entry for a planned repair. */
export function actDraft(id: string, other: Partial<AuditDraft> = {}): AuditDraft {
  const about = { jobId: undefined, pod: undefined, generation: undefined };
  return { id, at: noon, kind: 'test', ...about, evidence: { seen: 'twice', ageMs: 5 }, ...other };
}

export function draft(id: string, other: Partial<JobDraft> = {}): JobDraft {
  return {
    id,
    accountId: '7',
    installationId: '7',
    pool: 'linux',
    shape: linux,
    label: 'linux',
    repository: 'org/repo',
    runId: '1',
    runAttempt: 1,
    workflow: 'build',
    name: 'test',
    branch: 'main',
    commit: 'c0ffee',
    queuedAt: noon,
    ...other,
  };
}

export function endedBy(runnerName: string | undefined): JobEnd {
  const startedAt = runnerName === undefined ? undefined : noon + 1000;
  return { runnerName, startedAt, conclusion: 'success', at: noon + 2000 };
}

/** The answer of each Pod, in a word: the claimed job, or the refusal. */
export function heard(answers: readonly ClaimAnswer[]): readonly string[] {
  return answers.map((answer) => {
    if (answer.kind === 'claimed') return answer.job.id;
    return answer.kind === 'taken' ? answer.why : answer.kind;
  });
}
