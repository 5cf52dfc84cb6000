/** Builds the world of a story of runners, and its event log. */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import { calmTiming } from '../../../clouds/github/timing.ts';
import type { NodeShape } from '../../../../src/agent/node/node-object.ts';
import { buildPlace } from '../../workloads/runners/world.ts';
import type { ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { Chronicle } from '../event-log.ts';
import { FactTeller } from './facts.ts';
import { RunnersContext } from './context.ts';
import type { PoolSetting, RunnersSetting } from './config.ts';

/** The manager leads after a minute; at two minutes the Pods exist, and wait. */
export const beginsAtMs = 120_000;
const installAtMs = 10_000;
/** Polls only what GitHub does by itself; all other changes are reported at once. */
const lookEveryMs = 100;
const plenty = 1000;

const pollTimes = { waitMs: 7000, patienceMs: 10_000, restMs: 2000 } as const;
const fleets = { linux: 'runners-linux', darwin: 'runners-mac' } as const;

/** The label by which jobs choose the pool. */
export function labelOf(pool: string): string {
  return `tuist-${pool}`;
}

export function buildContext(world: World, setting: RunnersSetting): RunnersContext {
  const script = {
    fate: 'works',
    comesAfterMs: 2000,
    jobMs: setting.jobMs,
    conclusion: 'success',
    reportsAfterMs: 1000,
  } as const;
  const hanging = { left: 0 };
  let facts: FactTeller | undefined;
  const place = buildPlace(world, {
    pools: Object.fromEntries(setting.pools.map((pool) => [pool.name, specOf(pool)])),
    nodes: nodesFor(setting),
    dispatches: setting.dispatches,
    managers: ['manager-a'],
    isAutoscaling: false,
    timing: { ...calmTiming, deliveryMs: { least: 200, most: 200 }, placementMs: { least: 500, most: 500 } },
    pollTimes,
    script: () => {
      if (hanging.left === 0) return script;
      hanging.left -= 1;
      return { ...script, fate: 'never-comes', isStuck: true };
    },
    wantedPods: setting.pools.reduce((sum, { replicas }) => sum + replicas, 0),
    changed: () => facts?.look(),
  });
  const names = new Map<string, string>();
  const chronicle = new Chronicle(names, () => world.passedMs - beginsAtMs);
  const context = new RunnersContext({ ...place, world, setting, chronicle, names, hanging });
  world.clock.after(installAtMs, () => openAccounts(context));
  const look = (): void => {
    facts ??= new FactTeller(context.parts);
    facts.look();
    world.schedule.direct(lookEveryMs, 'the chronicler looks', look);
  };
  world.schedule.direct(beginsAtMs - lookEveryMs, 'the chronicler looks', look);
  return context;
}

function openAccounts({ parts: { site, setting, tables } }: RunnersContext): void {
  for (const { login, cores } of setting.accounts) {
    const account = site.directory.openAccount(login, 'Organization');
    site.directory.openRepository(account, 'app');
    site.install(account);
    if (cores !== undefined)
      tables.setLimit({ accountId: account.id, platform: 'linux', vcpus: cores, memoryGb: plenty });
  }
}

function specOf({ name, os, replicas }: PoolSetting): Json {
  return {
    image: 'example.com/runner:1',
    os,
    fleetSelector: fleets[os],
    dispatchLabel: labelOf(name),
    runnerLabels: ['self-hosted', os],
    podCPUMilli: 1000,
    podMemoryMB: 1024,
    replicas,
  };
}

function nodesFor({ pools }: RunnersSetting): readonly NodeShape[] {
  return [...new Set(pools.map(({ os }) => os))].map((os) => ({
    name: `${os}-1`,
    os,
    fleet: fleets[os],
    cpus: 64,
    memoryMb: 131_072,
    podsMax: 64,
  }));
}

export function setupFor({ parts: { database, github, door } }: RunnersContext): ScenarioSetup {
  return {
    invariants: [],
    premises: [],
    services: [database.name, github.name, door.name],
    resyncMs: 60_000,
    endState: () => null,
    missing: () => undefined,
  };
}
