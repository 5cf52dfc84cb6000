/**
 * Removes registrations at GitHub that no Pod will use: a replica died between registration and hand-out, or the Pod is
 * gone. GitHub drops them by itself after a day. Until then they fill its list, and a stolen copy of a handed-out
 * registration still works.
 *
 * Only names that dispatch gives are touched: the Pod name of one of our pools and eight more digits. Runners are
 * listed before Pods, claims and sessions, because a Pod and its claim exist before its registration.
 *
 * | the Pod in the name    | the registration is useless                                                        |
 * | ---------------------- | ---------------------------------------------------------------------------------- |
 * | is gone                | if no claim and no open session names that Pod                                     |
 * | has an open session    | if that session names another runner: a Pod gets one registration only             |
 * | has no open session    | if the Pod is free or has our stamp, and its annotation does not say it was served |
 *
 * A dispatch under way has registered its runner and not yet marked
 * its Pod. That takes seconds, and the two looks are minutes apart.
 */
import { isFleetError } from '../../../platform/errors/fleet-error.ts';
import type { RunnerAtGitHub, Tenant } from '../../github/port.ts';
import { podPrefixOf } from '../../assign/registration.ts';
import type { Claim, PodRef, Session } from '../../store/rows.ts';
import { oneByOne } from '../scheduler/for-each-isolated.ts';
import { removeRunner } from './remove-runner.ts';
import type { SeenPod } from '../pods/runner-pods.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from '../scheduler/worker.ts';

export interface GhostLimits {
  /** How long a registration must have been suspected. */
  readonly confirmMs: number;
  readonly max: number;
  /** Repositories per installation and run; the others follow in later runs. */
  readonly repositoriesMax: number;
  readonly lookBackMs: number;
}

export const ghostLimits: GhostLimits = {
  confirmMs: 120_000,
  max: 50,
  repositoriesMax: 10,
  lookBackMs: 172_800_000,
};

export interface GhostLook<R extends RunnerAtGitHub = RunnerAtGitHub> {
  readonly pools: readonly string[];
  readonly runners: readonly R[];
  readonly pods: readonly SeenPod[];
  readonly claims: readonly Claim[];
  readonly sessions: readonly Session[];
}

export function decideGhosts<R extends RunnerAtGitHub>(look: GhostLook<R>): readonly R[] {
  // An empty list of Pods may mean a broken selector.
  if (look.pods.length === 0) return [];
  const holders = holdersIn(look);
  return look.runners.filter(({ name, isOnline, isBusy }) => {
    const prefix = look.pools.map((pool) => ourPrefixIn(name, pool)).find((one) => one !== undefined);
    if (prefix === undefined || isOnline || isBusy) return false;
    return (holders.get(prefix) ?? []).every((holder) => isDoneWithout(holder, prefix, name));
  });
}

/** A Pod whose name may be in the name of a runner, with its session. */
interface Holder {
  readonly pod: PodRef;
  readonly seen: SeenPod | undefined;
  readonly session: Session | undefined;
}

function holdersIn({ pods, claims, sessions }: GhostLook): ReadonlyMap<string, readonly Holder[]> {
  const seen = new Map(pods.map((pod) => [pod.uid, pod]));
  const open = new Map(sessions.map((session) => [session.pod.uid, session]));
  const known = new Map<string, PodRef>();
  for (const pod of [...pods, ...[...claims, ...sessions].map((stored) => stored.pod)])
    known.set(pod.uid, pod);
  const holders = [...known.values()].map((pod) => ({
    pod,
    seen: seen.get(pod.uid),
    session: open.get(pod.uid),
  }));
  return Map.groupBy(holders, ({ pod }) => podPrefixOf(pod.name));
}

/** Whether this Pod will never use the registration. A truncated name may belong to another Pod. */
function isDoneWithout({ pod, seen, session }: Holder, prefix: string, runnerName: string): boolean {
  if (pod.name !== prefix || seen === undefined) return false;
  if (session !== undefined) return session.runnerName !== runnerName;
  // A Pod stamped by an older tool has no annotation that says whether it was served.
  return !seen.isServed && (seen.hasOurStamp || !seen.isStamped);
}

/** The Pod name, possibly truncated, in the runner name; undefined if the runner is not of the pool. */
function ourPrefixIn(runnerName: string, pool: string): string | undefined {
  const suffix = /-[0-9a-f]{8}$/.exec(runnerName);
  if (suffix === null) return undefined;
  const prefix = runnerName.slice(0, suffix.index);
  const begin = `${pool}-runner-`;
  const isPod = prefix.startsWith(podPrefixOf(begin)) && /^[0-9a-f]*$/.test(prefix.slice(begin.length));
  return isPod && prefix.length === podPrefixOf(`${begin}00000000`).length ? prefix : undefined;
}

const looksInARow = 3;

interface Listed extends RunnerAtGitHub {
  readonly tenant: Tenant;
  readonly key: string;
}

/** All repositories of an organisation show the same runners. Elsewhere ids are unique only within a repository. */
function keyOf({ installationId, repository }: Tenant, { id, place }: RunnerAtGitHub): string {
  return `${installationId}/${place === 'organisation' ? place : repository}/${id}`;
}

export class StaleRegistrations implements Worker {
  readonly name = 'ghost-runners';
  readonly everyMs = 120_000;
  readonly #ports: RecoveryPorts;
  readonly #pools: () => readonly string[];
  readonly #limits: GhostLimits;

  constructor(ports: RecoveryPorts, pools: () => readonly string[], limits: GhostLimits = ghostLimits) {
    this.#ports = ports;
    this.#pools = pools;
    this.#limits = limits;
  }

  async run({ at }: Tick): Promise<void> {
    const { store, pods, say } = this.#ports;
    const { confirmMs, max } = this.#limits;
    const runners = await this.#listRunners(at);
    const look = {
      pools: this.#pools(),
      runners,
      pods: await pods.list('all'),
      claims: await store.claims(),
      sessions: await store.openSessions(),
    };
    const ghosts = decideGhosts(look);
    const since = await store.suspect(
      this.name,
      ghosts.map(({ key }) => key),
      at,
    );
    const confirmed = ghosts.filter(({ key }) => at - (since.get(key) ?? at) >= confirmMs).slice(0, max);
    await oneByOne(
      confirmed,
      async (ghost) => this.#remove(ghost),
      ({ name: runner }, error) => say('failed to remove unused registration', { runner, error }),
    );
  }

  async #listRunners(at: number): Promise<readonly Listed[]> {
    const { store } = this.#ports;
    const sources = await store.jobSources(at - this.#limits.lookBackMs);
    const byInstallation = Map.groupBy(sources, ({ installationId }) => installationId);
    const found = new Map<string, Listed>();
    for (const tenants of byInstallation.values())
      for (const tenant of this.#sliceOf(tenants, at)) {
        const runners = await this.#runnersOf(tenant);
        for (const runner of runners) {
          const key = keyOf(tenant, runner);
          found.set(key, { ...runner, tenant, key });
        }
        // Other repositories of the organisation show the same runners.
        if (runners.some(({ place }) => place === 'organisation')) break;
      }
    return [...found.values()];
  }

  /** A tenant that does not answer must not stop the work for the others. */
  async #runnersOf(tenant: Tenant): Promise<readonly RunnerAtGitHub[]> {
    const { github, say } = this.#ports;
    try {
      return await github.runners(tenant);
    } catch (error) {
      if (!isFleetError(error)) throw error;
      say('failed to list runners of repository', { repository: tenant.repository, error });
      return [];
    }
  }

  /** The same repositories for a few runs, so that a second look follows, on any replica. */
  #sliceOf(tenants: readonly Tenant[], at: number): readonly Tenant[] {
    const { repositoriesMax } = this.#limits;
    const round = Math.floor(at / (looksInARow * this.everyMs));
    const first = (round * repositoriesMax) % tenants.length;
    return [...tenants.slice(first), ...tenants.slice(0, first)].slice(0, repositoriesMax);
  }

  async #remove({ tenant, ...runner }: Listed): Promise<void> {
    const { store, recovered } = this.#ports;
    const evidence = { runner: runner.name, repository: tenant.repository };
    const outcome = await removeRunner(this.#ports, { tenant, runner });
    await store.record({ ...draftOf(this.#ports, 'ghost_runner', { evidence }), outcome });
    if (outcome === 'removed') recovered('ghost_runner', { evidence });
  }
}
