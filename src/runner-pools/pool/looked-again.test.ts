/** What was decided from the caches is looked at again before it is done, and left where it holds no more. */
import { expect, it } from 'vitest';
import { outcomes, PoolHarness } from '../../../lab/harness/pool-harness.ts';
import { finalizers } from '../../api/names/finalizers.ts';
import { labels } from '../../api/names/labels.ts';

/** A pool with one Pod; `late` gets a word for each Pod that is counted as too late. */
async function withPod(): Promise<{ harness: PoolHarness; name: string; late: string[] }> {
  const late: string[] = [];
  const harness = new PoolHarness({ timedOut: (_pool, why) => void late.push(why) });
  harness.node('node-a');
  harness.pool({ replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  return { harness, name, late };
}

/** What came of looking for a Node, as of now. */
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
    ['retire', 'overtaken'],
  ]);
  expect(await isGoing(harness)).toBe(false);
  expect(harness.reported).toEqual([]);
});

it('a Pod that was late and has come up meanwhile is not removed, nor called late', async () => {
  const { harness, name, late } = await withPod();
  harness.bind(name, 'node-a');
  scheduled(harness, name, { status: 'True' });
  harness.clock.jump(300_000);
  const results = await harness.visit(() => harness.polling(name));
  expect(results).toMatchObject([{ action: { why: 'start-timeout' }, outcome: 'overtaken' }]);
  expect([await isGoing(harness), late]).toEqual([false, []]);
});

it('a Pod that no Node took and that has got one meanwhile is not removed, nor called late', async () => {
  const { harness, name, late } = await withPod();
  scheduled(harness, name, { status: 'False', reason: 'Unschedulable' });
  harness.clock.jump(300_000);
  const results = await harness.visit(() => {
    harness.bind(name, 'node-a');
    scheduled(harness, name, { status: 'True' });
  });
  expect(results).toMatchObject([{ action: { why: 'unschedulable' }, outcome: 'overtaken' }]);
  expect([await isGoing(harness), late]).toEqual([false, []]);
});

it('an account of the same name that is not of the pool stays when the Pod goes', async () => {
  const { harness, name } = await withPod();
  harness.disown('serviceaccounts', name);
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit())).toEqual([['retire', 'asked']]);
  expect(await isGoing(harness)).toBe(true);
  expect(await harness.accountNames()).toEqual([name]);
});

it('whoever may not act any more once the Pod is removed leaves its account to the next', async () => {
  const { harness, name } = await withPod();
  harness.changePool({ spec: { replicas: 0 } });
  harness.beforeNext('DELETE', () => (harness.mayAct = false));
  expect(outcomes(await harness.visit())).toEqual([['retire', 'asked']]);
  expect(await isGoing(harness)).toBe(true);
  expect(await harness.accountNames()).toEqual([name]);
});

it('whoever may not act any more does not let a deleted pool go', async () => {
  const { harness, name } = await withPod();
  harness.removePod(name);
  harness.changePool({ spec: { replicas: 0 } });
  harness.deleteAccount(name);
  await harness.settle();
  harness.deletePool();
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([['let-go', 'overtaken']]);
  expect(await harness.storedPool()).toBeDefined();
});

it('another pool that has got the name of a deleted one meanwhile is not let go', async () => {
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
  expect(outcomes(results)).toEqual([['let-go', 'overtaken']]);
  expect((await harness.storedPool())?.metadata.finalizers).toEqual(held);
});

it('whoever may not act any more once the account is made makes no Pod for it', async () => {
  const { harness } = await withPod();
  harness.changePool({ spec: { replicas: 2 } });
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([['create', 'overtaken']]);
  expect(await harness.podNames()).toHaveLength(1);
});

it('whoever may not act any more tells no Mac to end', async () => {
  const harness = new PoolHarness();
  harness.pool({ os: 'darwin', runtimeClass: undefined, replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  harness.podStatus(name, { phase: 'Running' });
  harness.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([['mark', 'overtaken']]);
  const [pod] = await harness.pods();
  expect(pod?.metadata.labels).not.toHaveProperty([labels.drainEligible.key]);
});

it('whoever may not act any more sweeps no account', async () => {
  const { harness, name } = await withPod();
  harness.changePool({ spec: { replicas: 0 } });
  harness.removePod(name);
  await harness.settle();
  harness.clock.jump(60_000);
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([['sweep', 'overtaken']]);
  expect(await harness.accountNames()).toEqual([name]);
});
