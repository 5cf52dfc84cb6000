/** What a pool leaves when it goes by force is removed, and nothing that is at work or of a pool that is there. */
import { describe, expect, it } from 'vitest';
import { poolKey, PoolHarness } from '../../../lab/harness/pool-harness.ts';

/** A pool of two, both of which wait for a job, and then no pool. */
async function withRemains() {
  const harness = new PoolHarness();
  harness.node('a');
  harness.pool();
  await harness.settle();
  const names = await harness.podNames();
  for (const name of names) harness.polling(name);
  harness.deletePoolByForce();
  expect(await harness.storedPool()).toBeUndefined();
  const [first = '', second = ''] = names;
  return { harness, first, second };
}

/** Looks, decides, and does it; in between something may happen. */
async function visit(
  harness: PoolHarness,
  meanwhile: () => void = () => undefined,
): Promise<readonly string[]> {
  const { remains } = harness;
  await harness.learn();
  const observed = await remains.observe(poolKey);
  if (observed === undefined) return ['nothing'];
  meanwhile();
  const results: string[] = [];
  for (const action of remains.plan(observed).actions)
    results.push(`${action.kind} ${await remains.act(action, observed)}`);
  return results;
}

describe('a pool that is gone', () => {
  it('leaves idle Pods, which go with their accounts, and Pods at work, which stay until they have ended', async () => {
    const { harness, first, second } = await withRemains();
    harness.atWork(second);
    expect(await visit(harness)).toEqual(['remove asked']);
    expect(await harness.accountNames()).toEqual([second]);
    expect(await visit(harness)).toEqual([]);
    harness.ended(second, 1);
    expect(await visit(harness)).toEqual(['remove asked']);
    expect(harness.reported).toMatchObject([{ podName: second, exitCode: 1 }]);
    expect([await harness.podNames(), await harness.accountNames()]).toEqual([[], []]);
    expect(await visit(harness)).toEqual(['nothing']);
    expect(harness.removed).toEqual([`${first}: pool-gone`, `${second}: pool-gone`]);
  });

  it('leaves accounts without a Pod, which go when they are a minute old', async () => {
    const { harness, first, second } = await withRemains();
    for (const name of [first, second]) harness.removePod(name);
    expect(await visit(harness)).toEqual([]);
    await harness.clock.pass(60_000);
    expect(await visit(harness)).toEqual(['sweep asked', 'sweep asked']);
    expect(await harness.accountNames()).toEqual([]);
  });

  it('loses nothing that one of its name has which came after it, and that one nothing either', async () => {
    const { harness } = await withRemains();
    harness.pool();
    await harness.settle();
    expect(await visit(harness)).toEqual(['remove asked', 'remove asked']);
    expect(await harness.podNames()).toHaveLength(2);
    expect(await visit(harness)).toEqual(['nothing']);
  });
});

describe('a Pod that is left stays when, by now,', () => {
  it.for([
    ['a job was found for it', (harness: PoolHarness, name: string) => harness.stamp(name)],
    ['a job runs in it', (harness: PoolHarness, name: string) => harness.atWork(name)],
    ['somebody else leads', (harness: PoolHarness) => void (harness.mayAct = false)],
  ] as const)('%s', async ([, change]) => {
    const { harness, first, second } = await withRemains();
    harness.removePod(second);
    expect(await visit(harness, () => change(harness, first))).toEqual(['remove overtaken']);
    expect((await harness.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(harness.removed).toEqual([]);
  });

  it('a job is found for it in the same moment', async () => {
    const { harness, first, second } = await withRemains();
    harness.removePod(second);
    harness.beforeNext('DELETE', () => harness.stamp(first));
    expect(await visit(harness)).toEqual(['remove overtaken']);
    expect(await harness.podNames()).toEqual([first]);
  });
});

it('what the cache takes for left, of a pool that is there, is not touched', async () => {
  const harness = new PoolHarness();
  harness.node('a');
  harness.pool();
  await harness.settle();
  await harness.learn();
  const { remains } = harness;
  const observed = { now: harness.clock.now(), key: poolKey, pods: [], accounts: [] };
  for (const pod of await harness.pods())
    expect(await remains.act({ kind: 'remove', pod }, observed)).toBe('overtaken');
  expect((await harness.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
});
