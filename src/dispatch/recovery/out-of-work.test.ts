/** A stamped Pod that the database knows nothing of, as after a failover to an older copy: GitHub has the last word. */
import { beforeEach, expect, it } from 'vitest';
import { minute, RecoveryStand, seenPod } from '../../../test/recovery-stand.ts';
import { runnerNameFor } from '../serve/registration.ts';
import { OrphanedStampedPods } from './orphaned-stamped-pods.ts';

let stand: RecoveryStand;
let worker: OrphanedStampedPods;
beforeEach(async () => {
  stand = new RecoveryStand();
  worker = new OrphanedStampedPods(stand.ports);
  await stand.install();
});

const removals = (): number => stand.asked.filter((route) => route.startsWith('DELETE')).length;

/** A Mac with a runner of which nothing is stored; its configuration. */
async function forgottenMac(name: string): Promise<string> {
  stand.pods.add(seenPod(name, { isServed: true }));
  const order = { name: runnerNameFor(name, stand.newId()), labels: ['self-hosted', 'tuist-linux'] };
  const { jitConfig } = await stand.github.register({ ...stand.tenant, ...order, workFolder: '/' });
  return jitConfig.reveal();
}

/** It works for an hour. */
async function putToWork(jitConfig: string): Promise<void> {
  await stand.queueJob({ isKnown: false });
  const script = { fate: 'works', comesAfterMs: 10, conclusion: 'success', reportsAfterMs: 0 } as const;
  stand.site.hall.start(jitConfig, { ...script, jobMs: 60 * minute });
  await stand.clock.pass(10_000);
}

it('stays while its runner is at work, and is free for nothing else; it goes after the job', async () => {
  await putToWork(await forgottenMac('a'));
  for (let index = 0; index < 50; index += 1) await stand.turn(worker);
  expect(stand.pods.names()).toBe('a');
  expect(new Set(await stand.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
  // Later and later, not each minute.
  expect((await stand.outcomes()).length).toBeLessThan(9);
  expect(removals()).toBe(0);
  for (let index = 0; index < 30; index += 1) await stand.turn(worker);
  expect(stand.pods.names()).toBe('');
});

/** So many others are registered before it, so that it is the first of a further page. */
async function fillFirstPage(): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < 100; index += 1) {
    await stand.clock.pass(1000);
    const order = { name: `other-${index}`, labels: ['self-hosted'], workFolder: '/' };
    ids.push((await stand.github.register({ ...stand.tenant, ...order })).runnerId);
  }
  return ids;
}

it('stays also when its runner moves to a page of the list that was read already', async () => {
  const others = await fillFirstPage();
  await putToWork(await forgottenMac('a'));
  const leave = (): void => {
    const gone = stand.site.hall.all.find(({ id }) => id === others[0]);
    if (gone !== undefined) stand.site.hall.remove(gone.scope, gone.id);
  };
  let lists = 0;
  stand.onAsked = (route) => {
    if (route !== 'GET /orgs/{org}/actions/runners') return;
    lists += 1;
    if (lists === 2) leave();
  };
  for (let index = 0; index < 7; index += 1) await stand.turn(worker);
  expect([stand.pods.names(), lists > 2]).toEqual(['a', true]);
  expect(new Set(await stand.outcomes())).toEqual(new Set(['orphaned_stamped_pod: runner-busy']));
});

it('stays, one alone as well, when its account is not in the database: nobody can be asked', async () => {
  stand = new RecoveryStand();
  worker = new OrphanedStampedPods(stand.ports);
  await forgottenMac('a');
  const { length } = stand.asked;
  for (let index = 0; index < 10; index += 1) await stand.turn(worker);
  expect([stand.pods.names(), stand.asked.length, await stand.outcomes()]).toEqual(['a', length, []]);
});

it('stays when no label says whose it is', async () => {
  stand.pods.ownerId = undefined;
  stand.pods.add(seenPod('a', { isServed: true }));
  for (let index = 0; index < 10; index += 1) await stand.turn(worker);
  expect(stand.pods.names()).toBe('a');
});

it('stays while the App is suspended, without a question and without a word in the books, and goes after', async () => {
  await forgottenMac('a');
  await stand.install('suspended');
  const { length } = stand.asked;
  for (let index = 0; index < 10; index += 1) await stand.turn(worker);
  expect([stand.pods.names(), stand.asked.length, await stand.outcomes()]).toEqual(['a', length, []]);
  await stand.install();
  await stand.turn(worker);
  await stand.turn(worker);
  expect(stand.pods.names()).toBe('');
});

it('stays while GitHub does not answer, and is not retired', async () => {
  await forgottenMac('a');
  stand.site.throttle.begin(10 * minute, 'primary');
  await stand.turn(worker, 6 * minute);
  await expect(stand.turn(worker)).rejects.toThrow('limit');
  expect(stand.pods.names()).toBe('a');
  expect(await stand.outcomes()).toEqual(['orphaned_stamped_pod: failed']);
  await stand.turn(worker, 10 * minute);
  expect(stand.pods.names()).toBe('');
});

it('goes with its registration, so that the runner gets nothing however late it comes', async () => {
  await forgottenMac('a');
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect([stand.pods.names(), stand.site.hall.all]).toEqual(['', []]);
});

it('stays when its runner begins to work after the list', async () => {
  await forgottenMac('a');
  const removeRunner = stand.github.removeRunner.bind(stand.github);
  stand.github.removeRunner = async (...given) => {
    for (const runner of stand.site.hall.all) runner.state = 'busy';
    return removeRunner(...given);
  };
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect(stand.pods.names()).toBe('a');
  expect((await stand.outcomes()).at(-1)).toBe('orphaned_stamped_pod: runner-busy');
});

it('keeps its registration where a claim is only not shown', async () => {
  await stand.queueJob();
  await stand.serve('a');
  stand.pods.change('a', { isRunnerLive: false });
  stand.store.claims = async () => [];
  stand.store.openSessions = async () => [];
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect(await stand.outcomes()).toEqual(['orphaned_stamped_pod: spoken-for']);
  expect([stand.pods.names(), removals()]).toEqual(['a', 0]);
});

it('has nothing to do with the runner of a Pod whose name begins as its own', async () => {
  stand.pods.add(seenPod('a'));
  await putToWork(await forgottenMac('a-b'));
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect(stand.pods.names()).toBe('a-b');
});

it('stays where its name is too long to tell its runner from those of others', async () => {
  const name = `${'long-'.repeat(12)}1`;
  await forgottenMac(name);
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect([stand.pods.names(), removals()]).toEqual([name, 0]);
});

it('is asked about together with the others of its account', async () => {
  for (const name of ['a', 'b']) await forgottenMac(name);
  const lists = (): number =>
    stand.asked.filter((route) => route.endsWith('/orgs/{org}/actions/runners')).length;
  await stand.turn(worker, 6 * minute);
  await stand.turn(worker);
  expect([stand.pods.names(), lists()]).toEqual(['', 1]);
});
