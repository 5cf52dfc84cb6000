/** Leftovers of a pool deleted by force are removed, except busy Pods and objects of an existing pool. */
import { describe, expect, it } from 'vitest';
import { poolKey, PoolHarness } from '../../../lab/harness/pool-harness.ts';

/** A pool of two waiting Pods, then without the pool. */
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

/** One pass with a hook between decision and action. */
async function visit(
  harness: PoolHarness,
  meanwhile: () => void = () => undefined,
): Promise<readonly string[]> {
  const { garbageCollector } = harness;
  await harness.learn();
  const observed = await garbageCollector.observe(poolKey);
  if (observed === undefined) return ['nothing'];
  meanwhile();
  const results: string[] = [];
  for (const action of garbageCollector.plan(observed).actions)
    results.push(`${action.kind} ${await garbageCollector.act(action, observed)}`);
  return results;
}

describe('a deleted pool', () => {
  it('loses its idle Pods with their accounts, while busy Pods stay until they have ended', async () => {
    const { harness, first, second } = await withRemains();
    harness.atWork(second);
    expect(await visit(harness)).toEqual(['remove requested']);
    expect(await harness.accountNames()).toEqual([second]);
    expect(await visit(harness)).toEqual([]);
    harness.ended(second, 1);
    expect(await visit(harness)).toEqual(['remove requested']);
    expect(harness.reported).toMatchObject([{ podName: second, exitCode: 1 }]);
    expect([await harness.podNames(), await harness.accountNames()]).toEqual([[], []]);
    expect(await visit(harness)).toEqual(['nothing']);
    expect(harness.removed).toEqual([`${first}: pool-gone`, `${second}: pool-gone`]);
  });

  it('loses its accounts without a Pod when they are a minute old', async () => {
    const { harness, first, second } = await withRemains();
    for (const name of [first, second]) harness.removePod(name);
    expect(await visit(harness)).toEqual([]);
    await harness.clock.pass(60_000);
    expect(await visit(harness)).toEqual(['sweep requested', 'sweep requested']);
    expect(await harness.accountNames()).toEqual([]);
  });

  it('and a later pool of the same name do not touch each other', async () => {
    const { harness } = await withRemains();
    harness.pool();
    await harness.settle();
    expect(await visit(harness)).toEqual(['remove requested', 'remove requested']);
    expect(await harness.podNames()).toHaveLength(2);
    expect(await visit(harness)).toEqual(['nothing']);
  });
});

describe('a leftover Pod stays when, by now,', () => {
  it.for([
    ['a job was claimed for the Pod', (harness: PoolHarness, name: string) => harness.stamp(name)],
    ['a job runs in it', (harness: PoolHarness, name: string) => harness.atWork(name)],
    ['another replica leads', (harness: PoolHarness) => void (harness.mayAct = false)],
  ] as const)('%s', async ([, change]) => {
    const { harness, first, second } = await withRemains();
    harness.removePod(second);
    expect(await visit(harness, () => change(harness, first))).toEqual(['remove precondition-lost']);
    expect((await harness.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(harness.removed).toEqual([]);
  });

  it('a job is claimed for the Pod at the same moment', async () => {
    const { harness, first, second } = await withRemains();
    harness.removePod(second);
    harness.beforeNext('DELETE', () => harness.stamp(first));
    expect(await visit(harness)).toEqual(['remove precondition-lost']);
    expect(await harness.podNames()).toEqual([first]);
  });
});

it('objects of an existing pool that the cache takes for leftovers are not touched', async () => {
  const harness = new PoolHarness();
  harness.node('a');
  harness.pool();
  await harness.settle();
  await harness.learn();
  const { garbageCollector } = harness;
  const observed = { now: harness.clock.now(), key: poolKey, pods: [], accounts: [] };
  for (const pod of await harness.pods())
    expect(await garbageCollector.act({ kind: 'remove', pod }, observed)).toBe('precondition-lost');
  expect((await harness.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
});
