/**
 * Registrations at GitHub that nobody will use: a replica died between registering a runner and handing it out, or the Pod
 * that had it is gone. GitHub forgets them by itself after a day; until then they crowd its list, and one that was handed
 * out could still be used by whoever copied it.
 *
 * Only names that we give are touched: that of a Pod of one of our pools, and eight more digits. Runners are listed before
 * Pods, claims and sessions: whoever registered one had its Pod and its claim before.
 */
import { isFleetError } from '../../errors/fleet-error.ts';
import type { RunnerAtGitHub, Tenant } from '../github/port.ts';
import { podPrefixOf } from '../serve/registration.ts';
import type { Claim, Session } from '../store/rows.ts';
import { oneByOne } from './one-by-one.ts';
import { removeRunner } from './remove-runner.ts';
import type { SeenPod } from './runner-pods.ts';
import { draftOf, type RecoveryPorts, type Tick, type Worker } from './worker.ts';

export interface GhostLimits {
  /** How long a registration must have been found useless. */
  readonly confirmMs: number;
  readonly max: number;
  /** How many repositories of one installation are asked in one turn; the others follow in the next ones. */
  readonly repositoriesMax: number;
  readonly lookBackMs: number;
}

export const ghostLimits: GhostLimits = {
  confirmMs: 600_000,
  max: 20,
  repositoriesMax: 3,
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
  // Without a single Pod the list says as much as a broken selector.
  if (look.pods.length === 0) return [];
  const stored = [...look.claims, ...look.sessions];
  const prefixes = new Set(
    [...look.pods, ...stored.map(({ pod }) => pod)].map(({ name }) => podPrefixOf(name)),
  );
  return look.runners.filter(({ name, isOnline, isBusy }) => {
    const prefix = look.pools.map((pool) => ourPrefixIn(name, pool)).find((one) => one !== undefined);
    return prefix !== undefined && !isOnline && !isBusy && !prefixes.has(prefix);
  });
}

/** The name of the Pod, as far as it is in the name of the runner; undefined where this is no runner of the pool. */
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

/** An organisation shows the same runners whichever of its repositories is named; another place may have other ones of their ids. */
function keyOf({ installationId, repository }: Tenant, { id, place }: RunnerAtGitHub): string {
  return `${installationId}/${place === 'organisation' ? place : repository}/${id}`;
}

export class GhostRunners implements Worker {
  readonly name = 'ghost-runners';
  readonly everyMs = 600_000;
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
      ({ name: runner }, error) =>
        say('a registration that nobody uses could not be removed', { runner, error }),
    );
  }

  async #listRunners(at: number): Promise<readonly Listed[]> {
    const { store } = this.#ports;
    const sources = await store.jobSources(at - this.#limits.lookBackMs);
    const byInstallation = Map.groupBy(sources, ({ installationId }) => installationId);
    const found = new Map<string, Listed>();
    for (const tenant of [...byInstallation.values()].flatMap((of) => this.#turnOf(of, at)))
      for (const runner of await this.#runnersOf(tenant)) {
        const key = keyOf(tenant, runner);
        found.set(key, { ...runner, tenant, key });
      }
    return [...found.values()];
  }

  /** One tenant that does not answer is no reason to leave out the others. */
  async #runnersOf(tenant: Tenant): Promise<readonly RunnerAtGitHub[]> {
    const { github, say } = this.#ports;
    try {
      return await github.runners(tenant);
    } catch (error) {
      if (!isFleetError(error)) throw error;
      say('the runners of a repository could not be listed', { repository: tenant.repository, error });
      return [];
    }
  }

  /** The same ones for a few turns, so that there can be a second look, on whatever replica. */
  #turnOf(tenants: readonly Tenant[], at: number): readonly Tenant[] {
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
