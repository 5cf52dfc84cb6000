/** What was decided from the caches is looked at again before it is done, and left where it holds no more. */
import { expect, it } from 'vitest';
import { outcomes, PoolStand } from '../../../test/pool-stand.ts';
import { finalizers } from '../../api/finalizers.ts';
import { labels } from '../../api/labels.ts';

/** A pool with one Pod; `late` gets a word for each Pod that is counted as too late. */
async function withPod(): Promise<{ stand: PoolStand; name: string; late: string[] }> {
  const late: string[] = [];
  const stand = new PoolStand({ timedOut: (_pool, why) => void late.push(why) });
  stand.node('node-a');
  stand.pool({ replicas: 1 });
  await stand.settle();
  const [name = ''] = await stand.podNames();
  return { stand, name, late };
}

/** What came of looking for a Node, as of now. */
function scheduled(stand: PoolStand, name: string, condition: object): void {
  const lastTransitionTime = new Date(stand.clock.now()).toISOString();
  stand.podStatus(name, {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', lastTransitionTime, ...condition }],
  });
}

async function isGoing(stand: PoolStand): Promise<boolean> {
  const [pod] = await stand.pods();
  return pod === undefined || pod.metadata.deletionTimestamp !== undefined;
}

it.for([
  ['idle', () => undefined],
  ['over', (stand: PoolStand, name: string) => stand.ended(name)],
] as const)('a Pod that is %s and not of the pool any more is not removed', async ([, become]) => {
  const { stand, name } = await withPod();
  become(stand, name);
  stand.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await stand.visit(() => stand.disown('pods', name)))).toEqual([['retire', 'overtaken']]);
  expect(await isGoing(stand)).toBe(false);
  expect(stand.reported).toEqual([]);
});

it('a Pod that was late and has come up meanwhile is not removed, nor called late', async () => {
  const { stand, name, late } = await withPod();
  stand.bind(name, 'node-a');
  scheduled(stand, name, { status: 'True' });
  stand.clock.jump(300_000);
  const results = await stand.visit(() => stand.polling(name));
  expect(results).toMatchObject([{ action: { why: 'start-timeout' }, outcome: 'overtaken' }]);
  expect([await isGoing(stand), late]).toEqual([false, []]);
});

it('a Pod that no Node took and that has got one meanwhile is not removed, nor called late', async () => {
  const { stand, name, late } = await withPod();
  scheduled(stand, name, { status: 'False', reason: 'Unschedulable' });
  stand.clock.jump(300_000);
  const results = await stand.visit(() => {
    stand.bind(name, 'node-a');
    scheduled(stand, name, { status: 'True' });
  });
  expect(results).toMatchObject([{ action: { why: 'unschedulable' }, outcome: 'overtaken' }]);
  expect([await isGoing(stand), late]).toEqual([false, []]);
});

it('an account of the same name that is not of the pool stays when the Pod goes', async () => {
  const { stand, name } = await withPod();
  stand.disown('serviceaccounts', name);
  stand.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await stand.visit())).toEqual([['retire', 'asked']]);
  expect(await isGoing(stand)).toBe(true);
  expect(await stand.accountNames()).toEqual([name]);
});

it('whoever may not act any more once the Pod is removed leaves its account to the next', async () => {
  const { stand, name } = await withPod();
  stand.changePool({ spec: { replicas: 0 } });
  stand.beforeNext('DELETE', () => (stand.mayAct = false));
  expect(outcomes(await stand.visit())).toEqual([['retire', 'asked']]);
  expect(await isGoing(stand)).toBe(true);
  expect(await stand.accountNames()).toEqual([name]);
});

it('whoever may not act any more does not let a deleted pool go', async () => {
  const { stand, name } = await withPod();
  stand.removePod(name);
  stand.changePool({ spec: { replicas: 0 } });
  stand.deleteAccount(name);
  await stand.settle();
  stand.deletePool();
  expect(outcomes(await stand.visit(() => (stand.mayAct = false)))).toEqual([['let-go', 'overtaken']]);
  expect(await stand.storedPool()).toBeDefined();
});

it('another pool that has got the name of a deleted one meanwhile is not let go', async () => {
  const stand = new PoolStand();
  const held = [finalizers.runnerPoolDrain.key];
  stand.pool({ replicas: 0 });
  await stand.settle();
  stand.deletePool();
  const results = await stand.visit(() => {
    stand.changePool({ metadata: { finalizers: null } });
    stand.pool({ replicas: 0 });
    stand.changePool({ metadata: { finalizers: held } });
  });
  expect(outcomes(results)).toEqual([['let-go', 'overtaken']]);
  expect((await stand.storedPool())?.metadata.finalizers).toEqual(held);
});

it('whoever may not act any more once the account is made makes no Pod for it', async () => {
  const { stand } = await withPod();
  stand.changePool({ spec: { replicas: 2 } });
  expect(outcomes(await stand.visit(() => (stand.mayAct = false)))).toEqual([['create', 'overtaken']]);
  expect(await stand.podNames()).toHaveLength(1);
});

it('whoever may not act any more tells no Mac to end', async () => {
  const stand = new PoolStand();
  stand.pool({ os: 'darwin', runtimeClass: undefined, replicas: 1 });
  await stand.settle();
  const [name = ''] = await stand.podNames();
  stand.podStatus(name, { phase: 'Running' });
  stand.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await stand.visit(() => (stand.mayAct = false)))).toEqual([['mark', 'overtaken']]);
  const [pod] = await stand.pods();
  expect(pod?.metadata.labels).not.toHaveProperty([labels.drainEligible.key]);
});

it('whoever may not act any more sweeps no account', async () => {
  const { stand, name } = await withPod();
  stand.changePool({ spec: { replicas: 0 } });
  stand.removePod(name);
  await stand.settle();
  stand.clock.jump(60_000);
  expect(outcomes(await stand.visit(() => (stand.mayAct = false)))).toEqual([['sweep', 'overtaken']]);
  expect(await stand.accountNames()).toEqual([name]);
});
