/** The check of stamps on Pods can fail: it reports a stamp for an account that never claimed the Pod, and no other. */
import { expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { labels } from '../../../../src/api/names/labels.ts';
import type { Claim } from '../../../../src/dispatch/store/rows.ts';
import { Tables } from '../../../../src/dispatch/store/model/tables.ts';
import { contractSite } from '../../../clouds/github/contract/contract-site.ts';
import { DirectApi } from '../../world/direct-api.ts';
import { World } from '../../world/world.ts';
import { RunnerAdminClient } from './admin-client.ts';
import { runnersNamespace, RunnerTruth } from './runner-truth.ts';

const path = `/api/v1/namespaces/${runnersNamespace}/pods`;

interface Harness {
  readonly world: World;
  readonly truth: RunnerTruth;
  /** Stamps the Pod for an account. */
  stamp(owner: string | null): void;
  /** Writes the claim as dispatch does: to the database, before the stamp. */
  claim(accountId: string, state?: Claim['state']): void;
  giveBack(): void;
}

async function openHarness(): Promise<Harness> {
  const world = new World({ seed: 1, drain });
  const tables = new Tables();
  for (const [id, login] of [
    ['1', 'ants'],
    ['2', 'bees'],
  ] as const)
    tables.accounts.set(id, { id, login });
  const { site } = contractSite(world.clock, async () => 200);
  const truth = new RunnerTruth(world, { tables, site, wantedPods: 1, changed: () => undefined });
  new RunnerAdminClient(world).openNamespace();
  // The check starts once the server serves the kinds.
  await world.schedule.runUntil(world.schedule.now + 5000);
  const api = new DirectApi(world);
  api.create(`/api/v1/namespaces/${runnersNamespace}/serviceaccounts`, { metadata: { name: 'default' } });
  api.create(path, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'runner' },
    spec: { containers: [{ name: 'runner', image: 'image' }] },
  });
  const uid = truth.pods[0]?.uid ?? '';
  const shape = { platform: 'linux', vcpus: 1, memoryGb: 1 } as const;
  return {
    world,
    truth,
    stamp: (owner) =>
      api.change(`${path}/runner`, { metadata: { labels: { [labels.runnerPoolOwner.key]: owner } } }),
    claim: (accountId, state = 'claimed') => {
      const claim = { generation: 'a', jobId: '7', accountId, pool: 'linux', pod: { name: 'runner', uid } };
      const open = {
        state,
        claimedAt: 0,
        runnerName: undefined,
        executedJobId: undefined,
      } as const;
      tables.claims.set('a', { ...claim, shape, ...open });
      truth.written();
    },
    giveBack: () => {
      tables.claims.clear();
      truth.written();
    },
  };
}

it.for([
  ['an account without a claim on the Pod', 'bees'],
  ['an unknown account', 'strangers'],
] as const)('a Pod stamped for %s violates S9', async ([, owner]) => {
  const harness = await openHarness();
  harness.claim('1');
  harness.stamp(owner);
  expect(harness.truth.pods).toMatchObject([{ name: 'runner', owner }]);
  expect(harness.world.violation).toMatchObject({
    id: 'S9',
    message: `runner is stamped for ${owner}, which never claimed it`,
  });
});

it('a Pod that loses its stamp while its claim is running violates S12', async () => {
  const harness = await openHarness();
  harness.claim('1', 'running');
  harness.stamp('ants');
  harness.stamp(null);
  expect(harness.world.violation).toMatchObject({
    id: 'S12',
    message: 'runner loses its stamp while it has a job',
  });
});

it('a stamp after the claim violates nothing, even when the claim is over by then', async () => {
  const harness = await openHarness();
  harness.claim('1');
  harness.stamp('ants');
  harness.stamp(null);
  harness.giveBack();
  harness.stamp('ants');
  expect(harness.truth.pods).toMatchObject([{ name: 'runner', owner: 'ants' }]);
  expect(harness.world.violation).toBeUndefined();
});
