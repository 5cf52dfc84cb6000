/** A stamped Pod without a record in the database, as after a failover to an older copy: GitHub decides. */
import { beforeEach, expect, it } from 'vitest';
import { minute, RecoveryHarness, seenPod } from '../../../../lab/harness/recovery-harness.ts';
import { runnerNameFor } from '../../assign/registration.ts';
import { OrphanedStampedPods } from '../pods/orphaned-stamped-pods.ts';

let harness: RecoveryHarness;
let worker: OrphanedStampedPods;
beforeEach(async () => {
  harness = new RecoveryHarness();
  worker = new OrphanedStampedPods(harness.ports);
  await harness.install();
});

const removals = (): number => harness.asked.filter((route) => route.startsWith('DELETE')).length;

/** A Mac with a runner that is not stored; returns its configuration. */
async function forgottenMac(name: string): Promise<string> {
  harness.pods.add(seenPod(name, { isServed: true }));
  const order = { name: runnerNameFor(name, harness.newId()), labels: ['self-hosted', 'tuist-linux'] };
  const { jitConfig } = await harness.github.register({ ...harness.tenant, ...order, workFolder: '/' });
  return jitConfig.reveal();
}

/** A job of one hour. */
async function putToWork(jitConfig: string): Promise<void> {
  await harness.queueJob({ isKnown: false });
  const script = { fate: 'works', comesAfterMs: 10, conclusion: 'success', reportsAfterMs: 0 } as const;
  harness.site.hall.start(jitConfig, { ...script, jobMs: 60 * minute });
  await harness.clock.pass(10_000);
}

it('stays while its runner is busy, gets no other job, and is removed after the job', async () => {
  await putToWork(await forgottenMac('a'));
  for (let index = 0; index < 50; index += 1) await harness.round(worker);
  expect(harness.pods.names()).toBe('a');
  expect(new Set(await harness.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
  // With growing delays, not each minute.
  expect((await harness.outcomes()).length).toBeLessThan(9);
  expect(removals()).toBe(0);
  for (let index = 0; index < 30; index += 1) await harness.round(worker);
  expect(harness.pods.names()).toBe('');
});

/** So many other runners are registered first that this runner is the first of a further page. */
async function fillFirstPage(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    await harness.clock.pass(1000);
    const order = { name: `other-${index}`, labels: ['self-hosted'], workFolder: '/' };
    ids.push((await harness.github.register({ ...harness.tenant, ...order })).runnerId);
  }
  return ids;
}

it('stays when its runner moves to a page of the list that was already read', async () => {
  const others = await fillFirstPage();
  await putToWork(await forgottenMac('a'));
  const remove = (): void => {
    const gone = harness.site.hall.all.find(({ id }) => id === others[0]);
    if (gone !== undefined) harness.site.hall.remove(gone.scope, gone.id);
  };
  let lists = 0;
  harness.onAsked = (route) => {
    if (route !== 'GET /orgs/{org}/actions/runners') return;
    lists += 1;
    if (lists === 2) remove();
  };
  for (let index = 0; index < 7; index += 1) await harness.round(worker);
  expect([harness.pods.names(), lists > 2]).toEqual(['a', true]);
  expect(new Set(await harness.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
});

it('stays, even a single Pod, when its account is not in the database: no installation can be queried', async () => {
  harness = new RecoveryHarness();
  worker = new OrphanedStampedPods(harness.ports);
  await forgottenMac('a');
  const { length } = harness.asked;
  for (let index = 0; index < 10; index += 1) await harness.round(worker);
  expect([harness.pods.names(), harness.asked.length, await harness.outcomes()]).toEqual(['a', length, []]);
});

it('stays without an account label', async () => {
  harness.pods.ownerId = undefined;
  harness.pods.add(seenPod('a', { isServed: true }));
  for (let index = 0; index < 10; index += 1) await harness.round(worker);
  expect(harness.pods.names()).toBe('a');
});

it('stays while the App is suspended, without query or audit record, and is removed after that', async () => {
  await forgottenMac('a');
  await harness.install('suspended');
  const { length } = harness.asked;
  for (let index = 0; index < 10; index += 1) await harness.round(worker);
  expect([harness.pods.names(), harness.asked.length, await harness.outcomes()]).toEqual(['a', length, []]);
  await harness.install();
  await harness.round(worker);
  await harness.round(worker);
  expect(harness.pods.names()).toBe('');
});

it('stays while GitHub does not answer, and is not blocked', async () => {
  await forgottenMac('a');
  harness.site.throttle.begin(10 * minute, 'primary');
  await harness.round(worker, 6 * minute);
  await expect(harness.round(worker)).rejects.toThrow('limit');
  expect(harness.pods.names()).toBe('a');
  expect(await harness.outcomes()).toEqual(['orphaned_stamped_pod: failed']);
  await harness.round(worker, 10 * minute);
  expect(harness.pods.names()).toBe('');
});

it('is removed with its registration, so that the runner gets no job however late it starts', async () => {
  await forgottenMac('a');
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect([harness.pods.names(), harness.site.hall.all]).toEqual(['', []]);
});

it('stays when its runner becomes busy after the list', async () => {
  await forgottenMac('a');
  const removeRunner = harness.github.removeRunner.bind(harness.github);
  harness.github.removeRunner = async (...given) => {
    for (const runner of harness.site.hall.all) runner.state = 'busy';
    return removeRunner(...given);
  };
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect(harness.pods.names()).toBe('a');
  expect((await harness.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
});

it('keeps its registration if a stale read misses its claim', async () => {
  await harness.queueJob();
  await harness.serve('a');
  harness.pods.change('a', { isRunnerLive: false });
  harness.store.claims = async () => [];
  harness.store.openSessions = async () => [];
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect(await harness.outcomes()).toEqual(['orphaned_stamped_pod: in-use']);
  expect([harness.pods.names(), removals()]).toEqual(['a', 0]);
});

it('does not match the runner of a Pod whose name has the same beginning', async () => {
  harness.pods.add(seenPod('a'));
  await putToWork(await forgottenMac('a-b'));
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect(harness.pods.names()).toBe('a-b');
});

it('stays if its name is too long to identify its runner', async () => {
  const name = `${'long-'.repeat(12)}1`;
  await forgottenMac(name);
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect([harness.pods.names(), removals()]).toEqual([name, 0]);
});

it('shares one list of runners with the others of its account', async () => {
  for (const name of ['a', 'b']) await forgottenMac(name);
  const lists = (): number =>
    harness.asked.filter((route) => route.endsWith('/orgs/{org}/actions/runners')).length;
  await harness.round(worker, 6 * minute);
  await harness.round(worker);
  expect([harness.pods.names(), lists()]).toEqual(['', 1]);
});
