/**
 * Jobs come from GitHub and run on Pods that poll for them, under two replicas of dispatch and two of the manager.
 * Webhooks are lost and doubled, replicas crash between any two steps, people cancel, drain and delete. No job may be
 * killed by us or given to two Pods, and in the end no job may be left over.
 */
import type { Json } from '../../../../src/embedded/kubernetes-api/json.ts';
import type { Random } from '../../../../src/platform/random.ts';
import { calmTiming, type GitHubTiming } from '../../../clouds/github/timing.ts';
import type { Repository } from '../../../clouds/github/records.ts';
import type { GitHubSite } from '../../../clouds/github/site.ts';
import type { NodeShape } from '../../../../src/agent/node/node-object.ts';
import { oneOf, wholeBetween } from '../../engine/random-streams.ts';
import type { Scenario, Setting, ScenarioSetup } from '../../engine/scenario.ts';
import type { World } from '../../world/world.ts';
import { Workload, premises } from './workload.ts';
import type { GuestScript } from './guest-model.ts';
import { OlderReaper } from './older-reaper.ts';
import { buildPlace } from './world.ts';
import { RunnerDeadlines } from './runner-deadlines.ts';
import { RunnerAdminClient } from './admin-client.ts';
import type { PodFacts, RunnerTruth } from './runner-truth.ts';

const fleet = { linux: 'runners-linux', darwin: 'runners-mac' } as const;
const replicas = 2;
const minute = 60_000;
const olderReaper = 'older-reaper';
const wouldKill = 'shown: the older way would have deleted a Pod with a job at work';
const installedAfterMs = 20_000;
const longestJobMs = 25 * minute;

const nodes: readonly NodeShape[] = [
  { name: 'linux-1', os: 'linux', fleet: fleet.linux, cpus: 32, memoryMb: 65_536 },
  { name: 'linux-2', os: 'linux', fleet: fleet.linux, cpus: 32, memoryMb: 65_536 },
  { name: 'mac-1', os: 'darwin', fleet: fleet.darwin, cpus: 8, memoryMb: 16_384, podsMax: 4 },
];

const pools = {
  linux: {
    image: 'example.com/runner:1',
    os: 'linux',
    fleetSelector: fleet.linux,
    dispatchLabel: 'tuist-linux',
    runnerLabels: ['self-hosted', 'Linux', 'X64'],
    podCPUMilli: 4000,
    podMemoryMB: 8192,
    replicas,
  },
  macs: {
    image: 'example.com/runner:1',
    os: 'darwin',
    fleetSelector: fleet.darwin,
    dispatchLabel: 'tuist-macos',
    runnerLabels: ['self-hosted', 'macOS', 'ARM64'],
    podCPUMilli: 2000,
    podMemoryMB: 4096,
    replicas,
  },
} as const;

/**
 * Much longer than the times of the script, so that a run of many hours is not all polls; the order of events is the
 * same.
 */
const pollTimes = { waitMs: 110_000, patienceMs: 130_000, restMs: 10_000 } as const;

export const runners: Scenario = {
  name: 'runners',
  says: 'jobs are run by Pods that wait for them; none is killed, doubled or left over',
  hours: 30,
  settleMs: 3 * 3_600_000,
  bugs: {
    [olderReaper]: 'a claim ends with the job it was made for, and a marked Pod without a claim is removed',
  },
  scripts: {},
  endsAlike: true,
  build: buildSetup,
};

function buildSetup(world: World, { bug, forMs }: Setting): ScenarioSetup {
  const random = world.random('runners');
  let changed = (): void => undefined;
  const place = buildPlace(world, {
    changed: () => changed(),
    pools,
    nodes,
    dispatches: ['dispatch-a', 'dispatch-b'],
    managers: ['manager-a', 'manager-b'],
    isAutoscaling: false,
    timing: drawnTiming(world),
    pollTimes,
    script: () => drawnScript(random),
    wantedPods: replicas * Object.keys(pools).length,
  });
  const { tables, site, door, database, github, truth } = place;
  const reaper = new OlderReaper(world, truth, olderDeed(world, { truth, isReal: bug === olderReaper }));
  changed = () => reaper.note();
  reaper.begin();
  const repositories = openAccounts(world, site);
  const deadlines = new RunnerDeadlines(world, truth, forMs);
  new Workload(world, truth, {
    repositories,
    poolLabels: Object.values(pools).map(({ dispatchLabel }) => dispatchLabel),
    pools: Object.keys(pools),
    nodes: nodes.map(({ name }) => name),
    replicas,
  }).begin(forMs);
  return {
    invariants: deadlines.invariants(),
    premises,
    services: [database.name, github.name, door.name],
    resyncMs: 5 * 60_000,
    backlogMs: () => backlogMs(truth),
    endState: () => endState(truth),
    missing: () => truth.missing(),
    held: () => ({ claims: tables.claims.size, pods: truth.pods.length, accounts: truth.accounts.length }),
  };
}

interface OlderWay {
  readonly truth: RunnerTruth;
  readonly isReal: boolean;
}

/** Planted, it deletes the Pod; otherwise it only counts how often that would have ended a job. */
function olderDeed(world: World, { truth, isReal }: OlderWay): (pod: PodFacts) => void {
  if (isReal) {
    const admin = new RunnerAdminClient(world);
    return ({ name }) => admin.deletePod(name, undefined);
  }
  world.reachability.declare(wouldKill);
  return ({ uid }) => {
    if (truth.isExecuting(uid)) world.reachability.happened(wouldKill);
  };
}

/** Most runners finish their job. */
const fates: readonly GuestScript['fate'][] = [
  ...Array.from({ length: 18 }, () => 'works' as const),
  'never-comes',
  'dies',
];

function drawnScript(random: Random): GuestScript {
  const fate = oneOf(random, fates);
  return {
    fate,
    isStuck: fate === 'never-comes' && random.next() < 0.5,
    comesAfterMs: wholeBetween(random, 1000, 30_000),
    jobMs: wholeBetween(random, minute, longestJobMs),
    conclusion: oneOf(random, ['success', 'success', 'failure']),
    reportsAfterMs: wholeBetween(random, 0, 20_000),
  };
}

/** The failure rate of webhooks differs from run to run. */
function drawnTiming(world: World): GitHubTiming {
  const random = world.random('github habits');
  const chance = (most: number): number => Math.max(0, random.next() * most * 1.5 - most / 2);
  return {
    ...calmTiming,
    deliveryMs: { least: 50, most: wholeBetween(random, 500, 90_000) },
    refuseDelivery: chance(0.1),
    loseDelivery: chance(0.05),
    doubleDelivery: chance(0.1),
  };
}

/** Two organizations and a person; the runners of the person belong to a repository. */
function openAccounts(world: World, site: GitHubSite): readonly Repository[] {
  const { directory } = site;
  const owners = [
    directory.openAccount('octo-org', 'Organization'),
    directory.openAccount('hexa-org', 'Organization'),
    directory.openAccount('mona', 'User'),
  ];
  const repositories = owners.flatMap((owner) => [
    directory.openRepository(owner, 'app'),
    directory.openRepository(owner, 'lib'),
  ]);
  world.clock.after(installedAfterMs, () => {
    for (const owner of owners) site.install(owner);
  });
  return repositories;
}

/** Each pool works through the jobs of GitHub, one job after another on each of its Pods. */
function backlogMs({ site }: RunnerTruth): number {
  const open = site.board.jobs.filter(({ status }) => status !== 'completed');
  const rounds = Object.values(pools).map(({ dispatchLabel }) => {
    const own = open.filter(({ labels }) => labels.includes(dispatchLabel));
    return Math.ceil(own.length / replicas);
  });
  return Math.max(...rounds) * longestJobMs;
}

function endState(truth: RunnerTruth): Json {
  return { pods: truth.pods.length, isDone: truth.missing() === undefined };
}
