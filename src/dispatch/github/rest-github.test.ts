/** How many requests a verb takes where there are more pages than one. What it answers is in the contract. */
import { expect, it } from 'vitest';
import { minute, RecoveryStand } from '../../../test/recovery-stand.ts';

const routesOf = (stand: RecoveryStand, word: string): readonly string[] =>
  stand.asked.filter((route) => route.startsWith('GET') && route.includes(word));

/** As many runners, from mac-0 on. */
async function standWith(count: number): Promise<RecoveryStand> {
  const stand = new RecoveryStand();
  for (let index = 0; index < count; index += 1) {
    await stand.clock.pass(1000);
    const order = { name: `mac-${index}`, labels: ['self-hosted'], workFolder: '/' };
    await stand.github.register({ ...stand.tenant, ...order });
  }
  return stand;
}

it('one runner is asked for by its name, in one request among however many', async () => {
  const stand = await standWith(101);
  expect(await stand.github.runnerNamed(stand.tenant, 'mac-100')).toMatchObject({ name: 'mac-100' });
  expect(routesOf(stand, '/actions/runners')).toHaveLength(1);
});

it('a list that changes is read there and back, and the way back without its last page', async () => {
  const stand = await standWith(201);
  expect(await stand.github.runnersOf(stand.tenant.installationId)).toHaveLength(201);
  expect(routesOf(stand, '/actions/runners')).toHaveLength(3 + 2);
});

it('deliveries are read no further than to the first that is too old', async () => {
  const stand = new RecoveryStand();
  for (let index = 0; index < 150; index += 1) await stand.queueJob({ isKnown: false });
  await stand.clock.pass(minute);
  const since = stand.clock.now();
  await stand.queueJob({ isKnown: false });
  await stand.clock.pass(minute);
  expect((await stand.github.deliveries(since)).length).toBeGreaterThan(0);
  expect(routesOf(stand, '/deliveries')).toHaveLength(1);
});
