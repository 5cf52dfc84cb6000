/** Dispatch is told of each Pod that ended, once and before it is removed; and a Pod does not stay because dispatch is away. */
import { expect, it } from 'vitest';
import { outcomes, PoolStand } from '../../../test/pool-stand.ts';
import { FleetError } from '../../errors/fleet-error.ts';
import { tailOf } from './stop-desk.ts';

const away = () => Promise.reject(new FleetError('unavailable', { reason: 'Http503', message: 'away' }));

async function withPod(): Promise<{ stand: PoolStand; name: string }> {
  const stand = new PoolStand();
  stand.node('node-a');
  stand.pool({ replicas: 1 });
  await stand.settle();
  const [name = ''] = await stand.podNames();
  return { stand, name };
}

it('a Pod that ended well is told of without its log, then it and its account go, and another one comes', async () => {
  const { stand, name } = await withPod();
  stand.ended(name);
  stand.lastWords = 'of no interest';
  stand.beforeNext('DELETE', () => expect(stand.reported).toHaveLength(1));
  expect(outcomes(await stand.visit())).toEqual([
    ['retire', 'asked'],
    ['create', 'asked'],
  ]);
  expect(stand.reported).toEqual([
    {
      podName: name,
      podUid: expect.any(String),
      endedAt: stand.clock.now(),
      exitCode: 0,
      reason: 'Completed',
    },
  ]);
  expect(await stand.podNames()).not.toContain(name);
  expect(await stand.accountNames()).toEqual(await stand.podNames());
  expect(await stand.visit()).toEqual([]);
});

it('one that did not end well is told of with its last words', async () => {
  const { stand, name } = await withPod();
  stand.ended(name, 137);
  stand.lastWords = 'killed\n';
  await stand.visit();
  expect(stand.reported).toMatchObject([
    { podName: name, exitCode: 137, reason: 'Error', logTail: 'killed\n' },
  ]);
});

it('its last words hold no secret, also where they are cut', async () => {
  const canary = 'cAnary7f3a';
  const { stand, name } = await withPod();
  stand.ended(name, 137);
  stand.lastWords = `token=${canary}${'x'.repeat(64 * 1024 - 9)}\n--jitconfig ${canary}\n`;
  await stand.visit();
  expect(stand.reported[0]?.logTail).toBe('token=[secret]\n--jitconfig [secret]\n');
});

it('a Pod is told of once although its removal fails and is tried again', async () => {
  const { stand, name } = await withPod();
  stand.ended(name);
  stand.beforeNext('DELETE', () => stand.podStatus(name, { message: 'written meanwhile' }));
  expect(outcomes(await stand.visit())).toContainEqual(['retire', 'overtaken']);
  expect(outcomes(await stand.visit())).toContainEqual(['retire', 'asked']);
  expect(stand.reported).toHaveLength(1);
});

it('while dispatch is away it stays for a minute, is replaced all the same, and then goes', async () => {
  const { stand, name } = await withPod();
  stand.ended(name);
  stand.onReport = away;
  expect(outcomes(await stand.visit())).toEqual([
    ['retire', 'unavailable'],
    ['create', 'asked'],
  ]);
  for (const _ of [1, 2]) {
    stand.clock.jump(20_000);
    expect(outcomes(await stand.visit())).toEqual([['retire', 'unavailable']]);
  }
  stand.clock.jump(20_000);
  expect(outcomes(await stand.visit())).toEqual([['retire', 'asked']]);
  expect(await stand.podNames()).not.toContain(name);
});

it('what dispatch will never take is not tried twice, and people are told', async () => {
  const { stand, name } = await withPod();
  stand.ended(name);
  stand.onReport = () => Promise.reject(new FleetError('rejected', { reason: 'Http400', message: 'no' }));
  await stand.learn();
  const observed = await stand.controller.observe('tuist-runners/linux');
  if (observed === undefined) throw new Error('there is a pool');
  const plan = stand.controller.plan(observed);
  const results = [];
  for (const action of plan.actions)
    results.push({ action, outcome: await stand.controller.act(action, observed) });
  expect(await stand.podNames()).not.toContain(name);
  expect(stand.controller.happenings(observed, { plan, results })).toMatchObject([
    { type: 'Warning', reason: 'RunnerPodNotReported' },
  ]);
});

it('a Pod that somebody else removed is told of, too, once it is gone', async () => {
  const { stand, name } = await withPod();
  stand.atWork(name);
  await stand.learn();
  stand.removePod(name);
  expect(outcomes(await stand.visit())).toEqual([
    ['report', 'asked'],
    ['create', 'asked'],
  ]);
  expect(stand.reported).toMatchObject([{ podName: name }]);
  expect(stand.reported[0]?.logTail).toBeUndefined();
});

it('an idle Pod is told of after it is gone and not before: until then it may be claimed', async () => {
  const { stand } = await withPod();
  stand.changePool({ spec: { replicas: 0 } });
  stand.beforeNext('DELETE', () => expect(stand.reported).toEqual([]));
  await stand.visit();
  expect(stand.reported).toEqual([]);
  await stand.visit();
  expect(stand.reported).toHaveLength(1);
});

it.for([
  ['few lines are kept whole', 'a\nb\n', 'a\nb\n'],
  ['of many lines the last 200 are', `${'x\n'.repeat(500)}end\n`, `${'x\n'.repeat(199)}end\n`],
  ['a character is not cut in two', `é${'x'.repeat(64 * 1024 - 1)}`, 'x'.repeat(64 * 1024 - 1)],
] as const)('%s', ([, text, tail]) => {
  expect(tailOf(text)).toBe(tail);
});
