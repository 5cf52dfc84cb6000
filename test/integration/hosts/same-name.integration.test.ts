/**
 * One manager with its default settings, on the real kube-apiserver and a simulated Scaleway over HTTP: it adopts a fleet,
 * and then a machine of one name is deleted and created again, over and over. No two servers ever carry one name.
 */
import { expect, it } from 'vitest';
import { startKubeFrom } from '../../reference/bring-up.ts';
import { describeIntegration, type Harness } from '../../reference/describe-integration.ts';
import type { Kube } from '../../reference/launch/kube.ts';
import { KeptProcess } from '../../reference/kept-process.ts';
import { bySize } from '../../../lab/harness/test-size.ts';
import { wallClock } from '../../../lab/harness/wall-clock.ts';
import { installKinds, machinesOf, want } from './fleet-objects.ts';
import { startLoggedCloud, type LoggedCloud } from './logged-cloud.ts';

const size = bySize({
  small: { machines: 20, hosts: 30, rounds: 2 },
  full: { machines: 200, hosts: 230, rounds: 10 },
});
const fleet = Array.from({ length: size.machines }, (_, index) => `runners-${index}`);
const again = 'runners-again';
const roundsMax = size.rounds;
const order = { zone: 'fr-par-1', hosts: size.hosts, foreign: [], replyMs: 100 };
const lookEveryMs = 200;

interface Given {
  readonly kube: Kube;
  readonly cloud: LoggedCloud;
  readonly manager: KeptProcess;
}

async function setUp({ bench, workplace }: Harness): Promise<Given> {
  const kube = await startKubeFrom(bench, { workplace });
  await installKinds(kube);
  const cloud = await startLoggedCloud(order);
  const args = [
    `--kubeconfig=${kube.adminKubeconfig}`,
    '--lease-namespace=default',
    '--default-adopt-pool-prefix=tuist-pool-',
    '--orphan-reclaim-claim-name-prefix=runners-',
  ];
  const [port = 0] = await workplace.ports(1);
  const { dir, died: unwanted } = workplace;
  const env = cloud.environment;
  const manager = new KeptProcess({ command: 'manager', name: 'manager', dir, port, args, env, unwanted });
  return { kube, cloud, manager };
}

function pause(): Promise<void> {
  return new Promise((resolve) => void wallClock.after(lookEveryMs, resolve));
}

/** Names that more than one server carries. */
function sharedNames({ macs }: LoggedCloud): readonly string[] {
  const names = macs.map(({ name }) => name);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

async function served(kube: Kube): Promise<readonly string[]> {
  return (await machinesOf(kube)).filter(({ status }) => status.ready).map(({ metadata }) => metadata.name);
}

async function until({ kube, cloud }: Given, isSo: (served: readonly string[]) => boolean): Promise<void> {
  while (!isSo(await served(kube))) {
    expect(sharedNames(cloud)).toEqual([]);
    await pause();
  }
}

/** Prints the cost of the adoptions: the figures depend on the machine. */
async function adopt(given: Given): Promise<void> {
  const { kube, cloud } = given;
  const began = wallClock.now();
  const before = cloud.requests();
  await want(kube, fleet);
  await until(given, (names) => names.length === fleet.length);
  const seconds = ((wallClock.now() - began) / 1000).toFixed(1);
  const each = ((cloud.requests() - before) / fleet.length).toFixed(2);
  console.log(`${fleet.length} adoptions in ${seconds} s, ${each} requests to the provider each`);
}

await describeIntegration({ name: 'one manager with its default settings', by: 'kube', setUp }, (given) => {
  it('never gives two servers one name', { timeout: 1_200_000 }, async () => {
    const { kube, cloud, manager } = given();
    const shared: string[] = [];
    const deleteAgain = ['delete', 'samm', again, '-n', 'default', '--wait=true', '--timeout=120s'];
    try {
      await adopt(given());
      for (let round = 0; round < roundsMax; round += 1) {
        await want(kube, [again]);
        await until(given(), (names) => names.includes(again));
        await kube.mustKubectl(deleteAgain);
      }
      shared.push(...sharedNames(cloud));
    } finally {
      await manager.stop();
    }
    expect(shared).toEqual([]);
    expect(cloud.writes.filter(({ what }) => what === 'reinstall server')).toHaveLength(roundsMax);
    await cloud.close();
  });
});
