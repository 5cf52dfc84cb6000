/** Decisions from the caches are verified before each action, and dropped if they no longer hold. */
import { expect, it } from 'vitest';
import { outcomes, PoolHarness } from '../../../lab/harness/pool-harness.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { labels } from '../../api/names/labels.ts';

/** A pool with one Pod; `late` records each Pod counted as timed out. */
async function withPod(): Promise<{ harness: PoolHarness; name: string; late: string[] }> {
  const late: string[] = [];
  const harness = new PoolHarness({ timedOut: (_pool, why) => void late.push(why) });
  harness.node('node-a');
  harness.pool({ replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  return { harness, name, late };
}

/** The PodScheduled condition, as of now. */
function scheduled(harness: PoolHarness, name: string, condition: object): void {
  const lastTransitionTime = new Date(harness.clock.now()).toISOString();
  harness.podStatus(name, {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', lastTransitionTime, ...condition }],
  });
}

async function isGoing(harness: PoolHarness): Promise<boolean> {
  const [pod] = await harness.pods();
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
}

it.for([
  ['idle', () => undefined],
  ['over', (harness: PoolHarness, name: string) => harness.ended(name)],
] as const)('a Pod that is %s and not of the pool any more is not removed', async ([, become]) => {
  const { harness, name } = await withPod();
  become(harness, name);
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit(() => harness.disown('pods', name)))).toEqual([
    ['retire', 'precondition-lost'],
  ]);
  expect(await isGoing(harness)).toBe(false);
  expect(harness.reported).toEqual([]);
});

it('a late Pod that has started meanwhile is not removed or counted as timed out', async () => {
  const { harness, name, late } = await withPod();
  harness.bind(name, 'node-a');
  scheduled(harness, name, { status: 'True' });
  harness.clock.jump(300_000);
  const results = await harness.visit(() => harness.polling(name));
  expect(results).toMatchObject([{ action: { why: 'start-timeout' }, outcome: 'precondition-lost' }]);
  expect([await isGoing(harness), late]).toEqual([false, []]);
});

it('an unschedulable Pod that has a Node by now is not removed or counted as timed out', async () => {
  const { harness, name, late } = await withPod();
  scheduled(harness, name, { status: 'False', reason: 'Unschedulable' });
  harness.clock.jump(300_000);
  const results = await harness.visit(() => {
    harness.bind(name, 'node-a');
    scheduled(harness, name, { status: 'True' });
  });
  expect(results).toMatchObject([{ action: { why: 'unschedulable' }, outcome: 'precondition-lost' }]);
  expect([await isGoing(harness), late]).toEqual([false, []]);
});

it('an account of the same name that is not of the pool stays when the Pod is removed', async () => {
  const { harness, name } = await withPod();
  harness.disown('serviceaccounts', name);
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit())).toEqual([['retire', 'requested']]);
  expect(await isGoing(harness)).toBe(true);
  expect(await harness.accountNames()).toEqual([name]);
});

it('a replica that lost its lease after the removal of a Pod does not remove its account', async () => {
  const { harness, name } = await withPod();
  harness.changePool({ spec: { replicas: 0 } });
  harness.beforeNext('DELETE', () => (harness.mayAct = false));
  expect(outcomes(await harness.visit())).toEqual([['retire', 'requested']]);
  expect(await isGoing(harness)).toBe(true);
  expect(await harness.accountNames()).toEqual([name]);
});

it('a replica that lost its lease does not remove the finalizer of a pool', async () => {
  const { harness, name } = await withPod();
  harness.removePod(name);
  harness.changePool({ spec: { replicas: 0 } });
  harness.deleteAccount(name);
  await harness.settle();
  harness.deletePool();
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([
    ['remove-finalizer', 'precondition-lost'],
  ]);
  expect(await harness.storedPool()).toBeDefined();
});

it('a later pool of the same name keeps its finalizer', async () => {
  const harness = new PoolHarness();
  const held = [finalizers.runnerPoolDrain.key];
  harness.pool({ replicas: 0 });
  await harness.settle();
  harness.deletePool();
  const results = await harness.visit(() => {
    harness.changePool({ metadata: { finalizers: null } });
    harness.pool({ replicas: 0 });
    harness.changePool({ metadata: { finalizers: held } });
  });
  expect(outcomes(results)).toEqual([['remove-finalizer', 'precondition-lost']]);
  expect((await harness.storedPool())?.metadata.finalizers).toEqual(held);
});

it('a replica that lost its lease after creating an account creates no Pod', async () => {
  const { harness } = await withPod();
  harness.changePool({ spec: { replicas: 2 } });
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([
    ['create', 'precondition-lost'],
  ]);
  expect(await harness.podNames()).toHaveLength(1);
});

it('a replica that lost its lease marks no Mac', async () => {
  const harness = new PoolHarness();
  harness.pool({ os: 'darwin', runtimeClass: undefined, replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  harness.podStatus(name, { phase: 'Running' });
  harness.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([
    ['mark', 'precondition-lost'],
  ]);
  const [pod] = await harness.pods();
  expect(pod?.metadata.labels).not.toHaveProperty([labels.drainEligible.key]);
});

it('a replica that lost its lease sweeps no account', async () => {
  const { harness, name } = await withPod();
  harness.changePool({ spec: { replicas: 0 } });
  harness.removePod(name);
  await harness.settle();
  harness.clock.jump(60_000);
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([
    ['sweep', 'precondition-lost'],
  ]);
  expect(await harness.accountNames()).toEqual([name]);
});
