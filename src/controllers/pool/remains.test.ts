/** What a pool leaves when it goes by force is removed, and nothing that is at work or of a pool that is there. */
import { describe, expect, it } from 'vitest';
import { poolKey, PoolStand } from '../../../test/pool-stand.ts';

/** A pool of two, both of which wait for a job, and then no pool. */
async function withRemains() {
  const stand = new PoolStand();
  stand.node('a');
  stand.pool();
  await stand.settle();
  const names = await stand.podNames();
  for (const name of names) stand.polling(name);
  stand.deletePoolByForce();
  expect(await stand.storedPool()).toBeUndefined();
  const [first = '', second = ''] = names;
  return { stand, first, second };
}

/** Looks, decides, and does it; in between something may happen. */
async function visit(stand: PoolStand, meanwhile: () => void = () => undefined): Promise<readonly string[]> {
  const { remains } = stand;
  await stand.learn();
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
    const { stand, first, second } = await withRemains();
    stand.atWork(second);
    expect(await visit(stand)).toEqual(['remove asked']);
    expect(await stand.accountNames()).toEqual([second]);
    expect(await visit(stand)).toEqual([]);
    stand.ended(second, 1);
    expect(await visit(stand)).toEqual(['remove asked']);
    expect(stand.reported).toMatchObject([{ podName: second, exitCode: 1 }]);
    expect([await stand.podNames(), await stand.accountNames()]).toEqual([[], []]);
    expect(await visit(stand)).toEqual(['nothing']);
    expect(stand.removed).toEqual([`${first}: pool-gone`, `${second}: pool-gone`]);
  });

  it('leaves accounts without a Pod, which go when they are a minute old', async () => {
    const { stand, first, second } = await withRemains();
    for (const name of [first, second]) stand.removePod(name);
    expect(await visit(stand)).toEqual([]);
    await stand.clock.pass(60_000);
    expect(await visit(stand)).toEqual(['sweep asked', 'sweep asked']);
    expect(await stand.accountNames()).toEqual([]);
  });

  it('loses nothing that one of its name has which came after it, and that one nothing either', async () => {
    const { stand } = await withRemains();
    stand.pool();
    await stand.settle();
    expect(await visit(stand)).toEqual(['remove asked', 'remove asked']);
    expect(await stand.podNames()).toHaveLength(2);
    expect(await visit(stand)).toEqual(['nothing']);
  });
});

describe('a Pod that is left stays when, by now,', () => {
  it.for([
    ['a job was found for it', (stand: PoolStand, name: string) => stand.stamp(name)],
    ['a job runs in it', (stand: PoolStand, name: string) => stand.atWork(name)],
    ['somebody else leads', (stand: PoolStand) => void (stand.mayAct = false)],
  ] as const)('%s', async ([, change]) => {
    const { stand, first, second } = await withRemains();
    stand.removePod(second);
    expect(await visit(stand, () => change(stand, first))).toEqual(['remove overtaken']);
    expect((await stand.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect(stand.removed).toEqual([]);
  });

  it('a job is found for it in the same moment', async () => {
    const { stand, first, second } = await withRemains();
    stand.removePod(second);
    stand.beforeNext('DELETE', () => stand.stamp(first));
    expect(await visit(stand)).toEqual(['remove overtaken']);
    expect(await stand.podNames()).toEqual([first]);
  });
});

it('what the cache takes for left, of a pool that is there, is not touched', async () => {
  const stand = new PoolStand();
  stand.node('a');
  stand.pool();
  await stand.settle();
  await stand.learn();
  const { remains } = stand;
  const observed = { now: stand.clock.now(), key: poolKey, pods: [], accounts: [] };
  for (const pod of await stand.pods())
    expect(await remains.act({ kind: 'remove', pod }, observed)).toBe('overtaken');
  expect((await stand.pods())[0]?.metadata.deletionTimestamp).toBeUndefined();
});
