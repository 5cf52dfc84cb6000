/** Pods of a pool, created and removed on the embedded API; Pods that may run a job are left alone. */
import { expect, it } from 'vitest';
import { namespace, outcomes, PoolHarness } from '../../../lab/harness/pool-harness.ts';
import { labels } from '../../api/names/labels.ts';
import { pods } from '../../kube/client/builtin-resources.ts';

/** A pool with waiting Pods only. */
async function filled(spec: object = {}): Promise<PoolHarness> {
  const harness = new PoolHarness();
  harness.node('node-a');
  harness.pool({ provisioning: { maxConcurrentPerFleetSelector: 100 }, ...spec });
  await harness.settle();
  for (const name of await harness.podNames()) harness.polling(name);
  return harness;
}

it('adds the finalizer before any Pod, then creates each Pod with an account of the same name', async () => {
  const harness = new PoolHarness();
  harness.node('node-a');
  harness.pool();
  expect(outcomes(await harness.visit())).toEqual([['add-finalizer', 'requested']]);
  expect(outcomes(await harness.visit())).toEqual([
    ['create', 'requested'],
    ['create', 'requested'],
  ]);
  const names = await harness.podNames();
  expect(names).toHaveLength(2);
  const runner = expect.stringMatching(/^linux-runner-[0-9a-f]{8}$/);
  expect(names).toEqual([runner, runner]);
  expect(new Set(names).size).toBe(2);
  expect(await harness.accountNames()).toEqual(names);
  expect(await harness.visit()).toEqual([]);
});

it('counts created Pods that are not yet in the cache, and counts them as missing after a while', async () => {
  const harness = new PoolHarness();
  harness.node('node-a');
  harness.pool();
  await harness.visit();
  await harness.learn();
  const observed = await harness.controller.observe(`${namespace}/linux`);
  if (observed === undefined) throw new Error('there is a pool');
  for (const action of harness.controller.plan(observed).actions)
    await harness.controller.act(action, observed);
  const again = async () => (await harness.controller.observe(`${namespace}/linux`)) ?? observed;
  expect(harness.controller.plan(await again()).actions).toEqual([]);
  harness.clock.jump(31_000);
  expect(harness.controller.plan(await again()).actions).toHaveLength(2);
});

it('scales down by idle Pods, and removes the account with its Pod', async () => {
  const harness = await filled({ replicas: 3 });
  const [first = '', second = '', third = ''] = await harness.podNames();
  harness.stamp(first);
  harness.atWork(second);
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit())).toEqual([['retire', 'requested']]);
  await harness.learn();
  expect(await harness.accountNames()).toEqual([first, second]);
  expect(harness.removed).toEqual([`${third}: surplus`]);
  expect(
    (await harness.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  ).toHaveLength(2);
});

it('a Pod that is claimed after the cache was read is not removed', async () => {
  const harness = await filled({ replicas: 1 });
  const [name = ''] = await harness.podNames();
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit(() => harness.stamp(name)))).toEqual([['retire', 'precondition-lost']]);
  expect(await harness.podNames()).toEqual([name]);
});

it('a Pod claimed between the last read and the delete is not removed or reported, nor its account', async () => {
  const harness = await filled({ replicas: 1 });
  const [name = ''] = await harness.podNames();
  harness.changePool({ spec: { replicas: 0 } });
  harness.beforeNext('DELETE', () => harness.stamp(name));
  expect(outcomes(await harness.visit())).toEqual([['retire', 'precondition-lost']]);
  const [pod] = await harness.pods();
  expect(pod?.metadata.deletionTimestamp).toBeUndefined();
  expect(await harness.accountNames()).toEqual([name]);
  expect(harness.reported).toEqual([]);
});

it('a replica that lost its lease deletes nothing', async () => {
  const harness = await filled({ replicas: 1 });
  harness.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await harness.visit(() => (harness.mayAct = false)))).toEqual([
    ['retire', 'precondition-lost'],
  ]);
  expect(await harness.podNames()).toHaveLength(1);
  expect(harness.removed).toEqual([]);
});

it('a pool being deleted waits for its busy Pods, and is gone when they have ended', async () => {
  const harness = await filled({ replicas: 3 });
  const [, stamped = '', unstamped = ''] = await harness.podNames();
  harness.stamp(stamped);
  harness.atWork(unstamped);
  harness.deletePool();
  expect(outcomes(await harness.visit())).toEqual([['retire', 'requested']]);
  expect(outcomes(await harness.visit())).toEqual([['report', 'requested']]);
  expect(await harness.visit()).toEqual([]);
  expect(await harness.podNames()).toEqual([stamped, unstamped]);
  expect((await harness.storedPool())?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', reason: 'Draining', message: '2 Pods run a job' }),
  );
  harness.ended(stamped);
  harness.ended(unstamped);
  expect(outcomes(await harness.visit())).toEqual([
    ['retire', 'requested'],
    ['retire', 'requested'],
  ]);
  expect(outcomes(await harness.visit())).toEqual([['remove-finalizer', 'requested']]);
  expect(await harness.storedPool()).toBeUndefined();
  expect(harness.removed.slice(1)).toEqual([`${stamped}: ended`, `${unstamped}: ended`]);
});

it('a pool keeps its finalizer while a Pod lives that the cache does not have', async () => {
  const harness = await filled({ replicas: 1 });
  const [name = ''] = await harness.podNames();
  harness.atWork(name);
  harness.deletePool();
  await harness.learn();
  const observed = await harness.controller.observe(`${namespace}/linux`);
  if (observed === undefined) throw new Error('there is a pool');
  expect(await harness.controller.act({ kind: 'remove-finalizer' }, { ...observed, pods: [] })).toBe(
    'precondition-lost',
  );
  expect(await harness.storedPool()).toBeDefined();
});

it('a Pod on a draining Node is removed only when idle', async () => {
  const harness = await filled({ replicas: 3 });
  const [idle = '', stamped = '', unstamped = ''] = await harness.podNames();
  for (const name of [idle, stamped, unstamped]) harness.bind(name, 'node-a');
  harness.stamp(stamped);
  harness.atWork(unstamped);
  harness.cordon('node-a');
  const results = await harness.visit();
  expect(results).toMatchObject([{ action: { kind: 'retire', why: 'node-drain' }, outcome: 'requested' }]);
  expect(await harness.accountNames()).toEqual([stamped, unstamped]);
});

it('an account whose Pod is gone is removed in the next pass, and a new account stays', async () => {
  const harness = await filled({ replicas: 2 });
  const [gone = '', other = ''] = await harness.podNames();
  harness.removePod(gone);
  expect(outcomes(await harness.visit())).not.toContainEqual(['sweep', 'requested']);
  harness.clock.jump(61_000);
  expect(outcomes(await harness.visit())).toContainEqual(['sweep', 'requested']);
  expect(await harness.accountNames()).not.toContain(gone);
  expect(await harness.accountNames()).toContain(other);
});

it('an account is kept if its Pod exists after all, or if it has another owner', async () => {
  const harness = await filled({ replicas: 1 });
  const [name = ''] = await harness.podNames();
  harness.clock.jump(61_000);
  await harness.learn();
  const observed = await harness.controller.observe(`${namespace}/linux`);
  const [account] = observed?.accounts ?? [];
  if (observed === undefined || account === undefined) throw new Error('there is a pool with an account');
  expect(await harness.controller.act({ kind: 'sweep', account }, observed)).toBe('precondition-lost');
  harness.removePod(name);
  const another = {
    ...observed,
    pool: { ...observed.pool, metadata: { ...observed.pool.metadata, uid: 'other' } },
  };
  expect(await harness.controller.act({ kind: 'sweep', account }, another)).toBe('precondition-lost');
  expect(await harness.accountNames()).toEqual([name]);
});

it('running Pods of an old image are marked a few at a time, and pending Pods are replaced a few at a time', async () => {
  const harness = await filled({ replicas: 5, rollout: { maxConcurrentPercent: 40 } });
  harness.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await harness.visit())).toEqual([
    ['retire', 'requested'],
    ['retire', 'requested'],
  ]);
  const next = outcomes(await harness.visit());
  expect(next.filter(([kind]) => kind === 'create')).toHaveLength(2);
  expect(next.filter(([kind]) => kind === 'retire')).toEqual([]);
});

it('a waiting Mac with an old image is marked, and a busy Mac is not', async () => {
  const harness = new PoolHarness();
  harness.pool({ os: 'darwin', runtimeClass: undefined, replicas: 2 });
  await harness.settle();
  const [idle = '', busy = ''] = await harness.podNames();
  for (const name of [idle, busy]) harness.podStatus(name, { phase: 'Running' });
  harness.stamp(busy);
  harness.changePool({ spec: { image: 'runner@sha256:2', rollout: { maxConcurrentPercent: 100 } } });
  expect(outcomes(await harness.visit())).toEqual([['mark', 'requested']]);
  const labelled = await harness.client.get(pods, { namespace, name: idle });
  expect(labelled.metadata.labels?.[labels.drainEligible.key]).toBe('true');
  expect(await harness.visit()).toEqual([]);
});

it('a Mac claimed after the cache was read is not marked', async () => {
  const harness = new PoolHarness();
  harness.pool({ os: 'darwin', runtimeClass: undefined, replicas: 1 });
  await harness.settle();
  const [name = ''] = await harness.podNames();
  harness.podStatus(name, { phase: 'Running' });
  harness.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await harness.visit(() => harness.stamp(name)))).toEqual([['mark', 'precondition-lost']]);
});

it('a pool whose Pods fail at once creates further Pods slowly', async () => {
  const harness = await filled({ replicas: 5 });
  for (const name of await harness.podNames()) harness.ended(name, 1);
  const first = outcomes(await harness.visit());
  expect(first.filter(([kind]) => kind === 'retire')).toHaveLength(5);
  expect(first.filter(([kind]) => kind === 'create')).toHaveLength(0);
  harness.clock.jump(30_000);
  expect(outcomes(await harness.visit()).filter(([kind]) => kind === 'create')).toHaveLength(1);
  expect(outcomes(await harness.visit()).filter(([kind]) => kind === 'create')).toHaveLength(0);
  harness.clock.jump(5 * 60_000);
  expect(outcomes(await harness.visit()).filter(([kind]) => kind === 'create')).toHaveLength(4);
});

it('the status is written only when something has changed', async () => {
  const harness = await filled();
  await harness.visit();
  const first = await harness.poolStatus();
  expect(first).toMatchObject({ observedReplicas: 2, observedImage: 'runner@sha256:1' });
  expect(first.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  harness.clock.jump(6 * 60_000);
  await harness.visit();
  expect(await harness.poolStatus()).toEqual(first);
  harness.changePool({ spec: { image: 'runner@sha256:2' } });
  await harness.visit();
  expect((await harness.poolStatus()).imageRolledAt).toBe('2026-01-01T00:06:00.000Z');
});

async function readiness(harness: PoolHarness) {
  const pool = await harness.storedPool();
  const ready = pool?.status?.conditions?.find(({ type }) => type === 'Ready');
  const { status, reason, message } = ready ?? {};
  return { version: pool?.metadata.resourceVersion, said: [status, reason, message] };
}

it('[L10] the status of a pool says what prevents its Pods, once', async () => {
  const harness = await filled({ replicas: 5 });
  for (const name of await harness.podNames()) harness.ended(name, 1);
  await harness.visit();
  const early = 'Pods end within a minute of their start and without a job, so one Pod is created every 30 s';
  const first = await readiness(harness);
  expect(first.said).toEqual(['False', 'RunnerPodsEndEarly', `0 of 5 Pods exist; ${early}`]);
  for (const _ of [1, 2, 3]) {
    harness.clock.jump(5000);
    await harness.visit();
  }
  expect(await readiness(harness)).toEqual(first);
  harness.clock.jump(5 * 60_000);
  await harness.settle();
  expect((await readiness(harness)).said).toEqual(['True', 'ReplicasMet', '5 of 5 Pods exist']);
});

it('[L10] a pool whose Pods hang at their start reports the fleet cap, once', async () => {
  const harness = new PoolHarness();
  harness.node('node-a');
  harness.pool({ replicas: 3, provisioning: { maxConcurrentPerFleetSelector: 1 } });
  await harness.settle();
  const first = await readiness(harness);
  const cap = 'the maximum number of Pods of the fleet is starting';
  expect(first.said).toEqual(['False', 'FleetCap', `1 of 3 Pods exist; ${cap}`]);
  harness.clock.jump(60_000);
  await harness.visit();
  expect(await readiness(harness)).toEqual(first);
});

it('[L10] a pool without a Node reports so, once, until it has a Node', async () => {
  const harness = new PoolHarness();
  harness.pool();
  await harness.visit();
  await harness.visit();
  const first = await readiness(harness);
  const none = '0 of 2 Pods exist; no Node of the fleet accepts a new Pod';
  expect(first.said).toEqual(['False', 'NoHealthyNode', none]);
  harness.clock.jump(3_600_000);
  await harness.visit();
  expect(await readiness(harness)).toEqual(first);
  harness.node('node-a');
  await harness.settle();
  expect((await readiness(harness)).said).toEqual(['True', 'ReplicasMet', '2 of 2 Pods exist']);
});

it('a pool with a refused window still says what prevents its Pods', async () => {
  const harness = new PoolHarness();
  const window = { days: ['mon'], from: '08:00', to: '18:00', timeZone: 'Mars/Olympus', minWarmPoolFloor: 1 };
  harness.pool({ autoscaling: { enabled: true, windows: [window] } });
  await harness.visit();
  await harness.visit();
  expect((await readiness(harness)).said.slice(0, 2)).toEqual(['False', 'NoHealthyNode']);
  expect((await harness.poolStatus()).conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'WindowRefused' }),
  );
});

it('a Linux pool with docker and without a virtual machine gets no Pod, and its status says so', async () => {
  const harness = new PoolHarness({
    template: { dispatchUrl: 'https://x.example/', dindImage: 'docker:dind' },
  });
  harness.node('node-a');
  harness.pool({ runtimeClass: undefined });
  await harness.visit();
  expect(await harness.visit()).toEqual([]);
  expect((await harness.storedPool())?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'RuntimeClassRefused' }),
  );
});
