/**
 * Each ended Pod is reported to dispatch, once and before its
 * removal; and a Pod does not stay because dispatch is down.
 */
import { expect, it } from 'vitest';
import { outcomes, PoolHarness } from '../../../lab/harness/pool-harness.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { tailOf } from '../pods/pod-end-reporter.ts';

const away = () => Promise.reject(new FleetError('unavailable', { reason: 'Http503', message: 'away' }));

async function withPod(): Promise<{ harness: PoolHarness; name: string }> {
  const harness = new PoolHarness();
  harness.node('node-a');
  harness.pool({ replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  return { harness, name };
}

it('a successful Pod is reported without its log, then it and its account are removed and replaced', async () => {
  const { harness, name } = await withPod();
  harness.ended(name);
  harness.lastWords = 'of no interest';
  harness.beforeNext('DELETE', () => expect(harness.reported).toHaveLength(1));
  expect(outcomes(await harness.visit())).toEqual([
    ['retire', 'requested'],
    ['create', 'requested'],
  ]);
  expect(harness.reported).toEqual([
    {
      podName: name,
      podUid: expect.any(String),
      endedAt: harness.clock.now(),
      exitCode: 0,
      reason: 'Completed',
    },
  ]);
  expect(await harness.podNames()).not.toContain(name);
  expect(await harness.accountNames()).toEqual(await harness.podNames());
  expect(await harness.visit()).toEqual([]);
});

it('a failed Pod is reported with the end of its log', async () => {
  const { harness, name } = await withPod();
  harness.ended(name, 137);
  harness.lastWords = 'killed\n';
  await harness.visit();
  expect(harness.reported).toMatchObject([
    { podName: name, exitCode: 137, reason: 'Error', logTail: 'killed\n' },
  ]);
});

it('the reported log holds no secret, even where it is cut', async () => {
  const canary = 'cAnary7f3a';
  const { harness, name } = await withPod();
  harness.ended(name, 137);
  harness.lastWords = `token=${canary}${'x'.repeat(64 * 1024 - 9)}\n--jitconfig ${canary}\n`;
  await harness.visit();
  expect(harness.reported[0]?.logTail).toBe('token=[secret]\n--jitconfig [secret]\n');
});

it('a Pod is reported once although its removal fails and is retried', async () => {
  const { harness, name } = await withPod();
  harness.ended(name);
  harness.beforeNext('DELETE', () => harness.podStatus(name, { message: 'written meanwhile' }));
  expect(outcomes(await harness.visit())).toContainEqual(['retire', 'precondition-lost']);
  expect(outcomes(await harness.visit())).toContainEqual(['retire', 'requested']);
  expect(harness.reported).toHaveLength(1);
});

it('while dispatch is down an ended Pod stays for a minute, is replaced anyway, and is then removed', async () => {
  const { harness, name } = await withPod();
  harness.ended(name);
  harness.onReport = away;
  expect(outcomes(await harness.visit())).toEqual([
    ['retire', 'unavailable'],
    ['create', 'requested'],
  ]);
  for (const _ of [1, 2]) {
    harness.clock.jump(20_000);
    expect(outcomes(await harness.visit())).toEqual([['retire', 'unavailable']]);
  }
  harness.clock.jump(20_000);
  expect(outcomes(await harness.visit())).toEqual([['retire', 'requested']]);
  expect(await harness.podNames()).not.toContain(name);
});

it('a report that dispatch rejects is not retried, and an event says so', async () => {
  const { harness, name } = await withPod();
  harness.ended(name);
  harness.onReport = () => Promise.reject(new FleetError('rejected', { reason: 'Http400', message: 'no' }));
  await harness.learn();
  const observed = await harness.controller.observe('tuist-runners/linux');
  if (observed === undefined) throw new Error('there is a pool');
  const plan = harness.controller.plan(observed);
  const results = [];
  for (const action of plan.actions)
    results.push({ action, outcome: await harness.controller.act(action, observed) });
  expect(await harness.podNames()).not.toContain(name);
  expect(harness.controller.events(observed, { plan, results })).toMatchObject([
    { type: 'Warning', reason: 'RunnerPodNotReported' },
  ]);
});

it('a Pod that others removed is reported once it is gone', async () => {
  const { harness, name } = await withPod();
  harness.atWork(name);
  await harness.learn();
  harness.removePod(name);
  expect(outcomes(await harness.visit())).toEqual([
    ['report', 'requested'],
    ['create', 'requested'],
  ]);
  expect(harness.reported).toMatchObject([{ podName: name }]);
  expect(harness.reported[0]?.logTail).toBeUndefined();
});

it('an idle Pod is reported after it is gone and not before: until then it may be claimed', async () => {
  const { harness } = await withPod();
  harness.changePool({ spec: { replicas: 0 } });
  harness.beforeNext('DELETE', () => expect(harness.reported).toEqual([]));
  await harness.visit();
  expect(harness.reported).toEqual([]);
  await harness.visit();
  expect(harness.reported).toHaveLength(1);
});

it.for([
  ['few lines are kept whole', 'a\nb\n', 'a\nb\n'],
  ['of many lines the last 200 are', `${'x\n'.repeat(500)}end\n`, `${'x\n'.repeat(199)}end\n`],
  ['a character is not cut in two', `é${'x'.repeat(64 * 1024 - 1)}`, 'x'.repeat(64 * 1024 - 1)],
] as const)('%s', ([, text, tail]) => {
  expect(tailOf(text)).toBe(tail);
});
