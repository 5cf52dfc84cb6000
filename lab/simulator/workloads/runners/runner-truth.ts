/** The true state of runners: Pods as stored, guests as they run, jobs as GitHub has them, database rows. */
import { labels } from '../../../../src/api/names/labels.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { Tables } from '../../../../src/dispatch/store/model/tables.ts';
import type { Runner } from '../../../clouds/github/records.ts';
import type { GitHubSite } from '../../../clouds/github/site.ts';
import type { DriverPod } from '../../../../src/agent/drivers/port.ts';
import type { Change, LiveView } from '../../world/live-view.ts';
import type { World } from '../../world/world.ts';

export const runnersNamespace = 'tuist-runners';

export interface PodFacts {
  readonly name: string;
  readonly uid: string;
  readonly pool: string;
  readonly image: string;
  readonly owner: string | undefined;
  readonly isDeleting: boolean;
  readonly isOver: boolean;
}

/** The API serves a new kind only some time after its definition. */
const servedAfterMs = 2000;

export interface TruthOptions extends Pick<RunnerTruth, 'tables' | 'site' | 'wantedPods'> {
  /** Called after each change of a Pod. */
  readonly changed: () => void;
}

export class RunnerTruth {
  readonly tables: Tables;
  readonly wantedPods: number;
  readonly site: GitHubSite;
  readonly #world: World;
  readonly #changed: () => void;
  #pods: LiveView | undefined;
  #accounts: LiveView | undefined;
  /** By uid of the Pod. */
  readonly #runners = new Map<string, Runner>();
  /** Uids of Pods with an open poll. */
  readonly #polling = new Set<string>();
  readonly #tokens = new Map<string, string>();
  /** Uids of Pods that a person deletes. */
  readonly #takenByPeople = new Set<string>();
  /** Every claim of the run, as uid of the Pod and account. */
  readonly #claimed = new Set<string>();

  /** `wantedPods`: the number of Pods at rest. */
  constructor(world: World, { tables, site, wantedPods, changed }: TruthOptions) {
    this.#changed = changed;
    this.wantedPods = wantedPods;
    this.#world = world;
    this.tables = tables;
    this.site = site;
    world.clock.after(servedAfterMs, () => {
      const path = (plural: string): string => `/api/v1/namespaces/${runnersNamespace}/${plural}`;
      this.#pods = world.kube.view(path('pods'), (change) => this.#podChanged(change));
      this.#accounts = world.kube.view(path('serviceaccounts'));
    });
  }

  get pods(): readonly PodFacts[] {
    return (this.#pods?.objects ?? []).map(podIn);
  }

  /** Names of the ServiceAccounts that were made for Pods. */
  get accounts(): readonly string[] {
    return (this.#accounts?.objects ?? [])
      .map(({ metadata }) => jsonFieldsOf(metadata))
      .filter((metadata) => jsonFieldsOf(metadata['labels'])[labels.runnerPool.key] !== undefined)
      .map(({ name }) => textOf(name));
  }

  async polls<T>({ uid }: DriverPod, token: string, poll: () => Promise<T>): Promise<T> {
    this.#tokens.set(uid, token);
    this.#polling.add(uid);
    const answer = await poll();
    this.#polling.delete(uid);
    return answer;
  }

  /** The token of the last poll of the Pod; undefined before its first poll. */
  tokenOf(uid: string): string | undefined {
    return this.#tokens.get(uid);
  }

  isPolling(uid: string): boolean {
    return this.#polling.has(uid);
  }

  /** A registration allows one start, by whichever Pod. */
  starts({ uid, name }: DriverPod, start: () => Runner): Runner | undefined {
    try {
      const runner = start();
      this.#runners.set(uid, runner);
      return runner;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (text.includes('started already'))
        this.#world.violate('S10', `${name} was handed what another has: ${text}`);
      this.#world.report({ who: name, what: 'cannot start its runner', outcome: text });
      return undefined;
    }
  }

  takenByPerson(uid: string): void {
    this.#takenByPeople.add(uid);
  }

  /** True when GitHub shows a job at work in the Pod. */
  isExecuting(uid: string): boolean {
    const runner = this.#runners.get(uid);
    return runner !== undefined && runner.state === 'busy';
  }

  /** Returns what prevents the quiescent state: jobs, rows, Pods or ServiceAccounts that should be gone. */
  missing(): string | undefined {
    const { board } = this.site;
    const open = board.jobs.find(({ status }) => status !== 'completed');
    if (open !== undefined) return `job ${open.id} is ${open.status}`;
    const untold = board.jobs.find(({ id, conclusion }) => {
      const job = this.tables.jobs.get(id);
      // A job that was over before dispatch knew of it needs no row.
      return job !== undefined && (job.state !== 'completed' || job.conclusion !== conclusion);
    });
    if (untold !== undefined)
      return `job ${untold.id} is ${this.tables.jobs.get(untold.id)?.state ?? 'unknown'} here, and over at GitHub`;
    const [claim] = this.tables.claims.values();
    if (claim !== undefined) return `the claim of job ${claim.jobId} is left`;
    const session = [...this.tables.sessions.values()].find(({ endedAt }) => endedAt === undefined);
    if (session !== undefined) return `the session of ${session.pod.name} is open`;
    return this.#podsMissing();
  }

  #podsMissing(): string | undefined {
    const busy = this.pods.find(({ owner, isOver }) => owner !== undefined || isOver);
    if (busy !== undefined) return `${busy.name} is stamped or over, and still there`;
    const alive = this.pods.filter(({ isDeleting }) => !isDeleting);
    if (alive.length !== this.wantedPods) return `there are ${alive.length} Pods, not ${this.wantedPods}`;
    return this.accounts.length === this.pods.length
      ? undefined
      : `there are ${this.accounts.length} ServiceAccounts for ${this.pods.length} Pods`;
  }

  /** Called after each write to the database. */
  written(): void {
    for (const { pod, accountId } of this.tables.claims.values())
      this.#claimed.add(`${pod.uid}/${accountId}`);
  }

  #podChanged({ before, after }: Change): void {
    const was = before && podIn(before);
    const is = after && podIn(after);
    if (is !== undefined && is.owner !== was?.owner) this.#marked(is);
    if (was !== undefined && (is === undefined || is.isDeleting)) this.#taken(was);
    this.#changed();
  }

  #marked(pod: PodFacts): void {
    if (pod.owner === undefined) this.#unstamped(pod);
    else this.#stamped(pod);
  }

  #stamped({ name, uid, owner }: PodFacts): void {
    const account = [...this.tables.accounts.values()].find(({ login }) => login === owner);
    if (account === undefined || !this.#claimed.has(`${uid}/${account.id}`))
      this.#world.violate('S9', `${name} is stamped for ${owner}, which never claimed it`);
  }

  /** A Pod without a stamp may be deleted. */
  #unstamped({ name, uid, isOver }: PodFacts): void {
    const isServed = [...this.tables.claims.values()].some(
      ({ pod, state }) => pod.uid === uid && state === 'running',
    );
    if (!isOver && (isServed || this.isExecuting(uid)))
      this.#world.violate('S12', `${name} loses its stamp while it has a job`);
  }

  #taken({ name, uid, isDeleting, isOver }: PodFacts): void {
    if (isDeleting || isOver) return;
    if (this.#takenByPeople.has(uid) || !this.isExecuting(uid)) return;
    const job = this.site.board.jobs.find((one) => one.runner?.id === this.#runners.get(uid)?.id);
    this.#world.violate('S12', `${name} is deleted while it executes job ${job?.id ?? 'unknown'}`);
  }
}

function podIn({ metadata, spec, status }: JsonObject): PodFacts {
  const { name, uid, deletionTimestamp, labels: marks } = jsonFieldsOf(metadata);
  const { phase } = jsonFieldsOf(status);
  const { containers } = jsonFieldsOf(spec);
  const [container] = Array.isArray(containers) ? containers : [];
  const owner = textOf(jsonFieldsOf(marks)[labels.runnerPoolOwner.key]);
  return {
    name: textOf(name),
    uid: textOf(uid),
    pool: textOf(jsonFieldsOf(marks)[labels.runnerPool.key]),
    image: textOf(jsonFieldsOf(container)['image']),
    owner: owner === '' ? undefined : owner,
    isDeleting: deletionTimestamp !== undefined,
    isOver: phase === 'Succeeded' || phase === 'Failed',
  };
}

export function jsonFieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
