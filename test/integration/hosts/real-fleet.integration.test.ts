/**
 * Two managers as processes, on the real kube-apiserver and a simulated Scaleway over HTTP, adopt a fleet while the
 * leader is killed again and again. Each machine must end with one host of its own.
 */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../reference/describe-integration.ts';
import type { Kube } from '../../reference/launch/kube.ts';
import { KeptProcess } from '../../reference/kept-process.ts';
import { bySize } from '../../../lab/harness/test-size.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import { hostsOf, installKinds, leaderOf, machinesOf, want, type Host } from './fleet-objects.ts';
import { startLoggedCloud, type LoggedCloud } from './logged-cloud.ts';

const zone = 'fr-par-1';
const machineCount = bySize({ small: 36, full: 200 });
const machineNames = Array.from({ length: machineCount }, (_, index) => `runners-${index}`);
const foreign = [
  'apple-silicon-nightly',
  'other-cluster-1',
  'runner-of-somebody',
  'db',
  'build-1',
  'build-2',
];
const hostCount = bySize({ small: 45, full: 230 });
/** The number of machines per batch; the next batch follows once these are served and a leader was killed. */
const batchSize = bySize({ small: 12, full: 200 });
/**
 * Counted in machines instead of seconds: a slow leader makes progress before its kill, and a fast leader is killed.
 */
const servedPerKill = bySize({ small: 4, full: 15 });
const lookEveryMs = 500;
/** Short times, so that a killed leader leaves many adoptions unfinished, and the next leader starts soon. */
const patience = ['--lease-duration=3s', '--lease-handover=2s', '--provider-deadline=3s'];
const replyMs = 200;

interface Given {
  readonly kube: Kube;
  readonly cloud: LoggedCloud;
  readonly start: (name: string) => Promise<KeptProcess>;
}

async function setUp({ bench, workplace }: Harness): Promise<Given> {
  const kube = await startKubeFrom(bench, { workplace });
  await installKinds(kube);
  const cloud = await startLoggedCloud({ zone, hosts: hostCount, foreign, replyMs });
  const args = [
    `--kubeconfig=${kube.adminKubeconfig}`,
    '--lease-namespace=default',
    '--default-adopt-pool-prefix=tuist-pool-',
    '--orphan-reclaim-claim-name-prefix=runners-',
    '--inventory-interval=5s',
    '--orphan-reclaim-interval=10s',
    '--machine-max-concurrent-reconciles=16',
    ...patience,
  ];
  const start = async (name: string): Promise<KeptProcess> => {
    const [port = 0] = await workplace.ports(1);
    const { dir, died: unwanted } = workplace;
    return new KeptProcess({ command: 'manager', name, dir, port, args, env: cloud.environment, unwanted });
  };
  return { kube, cloud, start };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void wallClock.after(ms, resolve));
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(lookEveryMs);
}

/** Requests one batch of machines after the other, and kills leaders meanwhile; returns the number of kills. */
async function serveUnderKills(kube: Kube, managers: readonly KeptProcess[]): Promise<number> {
  let kills = 0;
  for (let wanted = 0; wanted < machineCount; wanted += batchSize) {
    await want(kube, machineNames.slice(wanted, wanted + batchSize));
    kills += await killLeaders(kube, managers, { from: wanted, to: wanted + batchSize });
  }
  return kills;
}

/**
 * Kills the leader whenever some more machines are served, at least once, until all are; returns the number of kills.
 */
async function killLeaders(
  kube: Kube,
  managers: readonly KeptProcess[],
  served: { readonly from: number; readonly to: number },
): Promise<number> {
  let kills = 0;
  for (let servedAtKill = served.from; ; await pause(lookEveryMs)) {
    const count = (await machinesOf(kube)).filter(({ status }) => status.ready).length;
    if (count >= servedAtKill + servedPerKill && (await killLeader(kube, managers))) {
      kills += 1;
      servedAtKill = count;
    }
    if (count === served.to && kills > 0) return kills;
  }
}

async function killLeader(kube: Kube, managers: readonly KeptProcess[]): Promise<boolean> {
  const leader = await leaderOf(kube);
  return managers.find(({ name }) => leader.startsWith(name))?.kill() ?? false;
}

/** A listing may show an old name for a while, so the last observation is awaited as well. */
async function isSettled(kube: Kube, names: ReadonlyMap<string, string>): Promise<boolean> {
  const hosts = await hostsOf(kube);
  const isAtRest = ({ metadata, spec, status }: Host): boolean =>
    ['Owned', 'Pooled', 'Foreign'].includes(status.state) &&
    status.observed?.name === (spec.claim?.name ?? names.get(metadata.name));
  return hosts.filter(isAtRest).length === hostCount;
}

/** The write requests of each host, as text. */
function writesTo(cloud: LoggedCloud, id: string): readonly string[] {
  return cloud.writes.flatMap((request) => {
    if (!('id' in request) || request.id !== id) return [];
    return [request.what === 'update server' ? `rename ${request.name}` : request.what];
  });
}

await describeIntegration({ name: 'a fleet under killed leaders', by: 'kube', setUp }, (given) => {
  it(
    'ends with one host for each machine, and without a write to any other',
    { timeout: 1_200_000 },
    async () => {
      const { kube, cloud, start } = given();
      const before = new Map(cloud.macs.map((mac) => [mac.id, mac.name]));
      const managers = [await start('manager-a'), await start('manager-b')];
      try {
        expect(await serveUnderKills(kube, managers)).toBeGreaterThan(2);
        await until(() => isSettled(kube, before));
      } finally {
        await Promise.all(managers.map((manager) => manager.stop()));
      }

      const machines = await machinesOf(kube);
      const bound = new Map(machines.map(({ status, metadata }) => [status.serverID, metadata]));
      expect(bound.size).toBe(machineNames.length);
      const hosts = new Map((await hostsOf(kube)).map((host) => [host.metadata.name, host]));
      expect(hosts.size).toBe(hostCount);

      const reported = cloud.macs.map((mac) => ({
        id: mac.id,
        name: mac.name,
        wipes: mac.wipes,
        ...factsOf(hosts, mac.id),
      }));
      expect(reported).toEqual(
        cloud.macs.map(({ id }) => {
          const machine = bound.get(id);
          const old = before.get(id) ?? '';
          if (machine === undefined)
            return {
              id,
              name: old,
              wipes: 0,
              observed: old,
              state: foreign.includes(old) ? 'Foreign' : 'Pooled',
            };
          const { name, uid } = machine;
          return { id, name, wipes: 0, observed: name, state: 'Owned', claim: { name, uid } };
        }),
      );
      const asked = cloud.macs.flatMap(({ id }) =>
        [...new Set(writesTo(cloud, id))].map((what) => ({ id, what })),
      );
      expect(asked).toEqual(
        cloud.macs.flatMap(({ id }) => {
          const machine = bound.get(id);
          return machine === undefined ? [] : [{ id, what: `rename ${machine.name}` }];
        }),
      );
      await cloud.close();
    },
  );
});

function factsOf(hosts: ReadonlyMap<string, Host>, id: string): object {
  const { spec, status } = hosts.get(id) ?? {};
  const { claim } = spec ?? {};
  return {
    observed: status?.observed?.name,
    state: status?.state,
    ...(claim !== undefined && { claim: { name: claim.name, uid: claim.uid } }),
  };
}
