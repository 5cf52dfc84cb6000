/** Pods of a pool, made and removed on the embedded API; whoever may be at work is left alone. */
import { expect, it } from 'vitest';
import { namespace, outcomes, PoolStand } from '../../../test/pool-stand.ts';
import { labels } from '../../api/labels.ts';
import { pods } from '../../runtime/kube/builtin-resources.ts';

/** A pool whose Pods all wait for a job. */
async function filled(spec: object = {}): Promise<PoolStand> {
  const stand = new PoolStand();
  stand.node('node-a');
  stand.pool({ provisioning: { maxConcurrentPerFleetSelector: 100 }, ...spec });
  await stand.settle();
  for (const name of await stand.podNames()) stand.polling(name);
  return stand;
}

it('holds the pool before anything is made, then makes each Pod with an account of the same name', async () => {
  const stand = new PoolStand();
  stand.node('node-a');
  stand.pool();
  expect(outcomes(await stand.visit())).toEqual([['hold', 'asked']]);
  expect(outcomes(await stand.visit())).toEqual([
    ['create', 'asked'],
    ['create', 'asked'],
  ]);
  const names = await stand.podNames();
  expect(names).toHaveLength(2);
  const runner = expect.stringMatching(/^linux-runner-[0-9a-f]{8}$/);
  expect(names).toEqual([runner, runner]);
  expect(new Set(names).size).toBe(2);
  expect(await stand.accountNames()).toEqual(names);
  expect(await stand.visit()).toEqual([]);
});

it('makes no more while what it made is not in the cache yet, and counts it as missing after a while', async () => {
  const stand = new PoolStand();
  stand.node('node-a');
  stand.pool();
  await stand.visit();
  await stand.learn();
  const observed = await stand.controller.observe(`${namespace}/linux`);
  if (observed === undefined) throw new Error('there is a pool');
  for (const action of stand.controller.plan(observed).actions) await stand.controller.act(action, observed);
  const again = async () => (await stand.controller.observe(`${namespace}/linux`)) ?? observed;
  expect(stand.controller.plan(await again()).actions).toEqual([]);
  stand.clock.jump(31_000);
  expect(stand.controller.plan(await again()).actions).toHaveLength(2);
});

it('scales down by what is idle, and removes the account with its Pod', async () => {
  const stand = await filled({ replicas: 3 });
  const [first = '', second = '', third = ''] = await stand.podNames();
  stand.stamp(first);
  stand.atWork(second);
  stand.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await stand.visit())).toEqual([['retire', 'asked']]);
  await stand.learn();
  expect(await stand.accountNames()).toEqual([first, second]);
  expect(stand.removed).toEqual([`${third}: surplus`]);
  expect(
    (await stand.pods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined),
  ).toHaveLength(2);
});

it('a Pod that is claimed after the cache was read is not removed', async () => {
  const stand = await filled({ replicas: 1 });
  const [name = ''] = await stand.podNames();
  stand.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await stand.visit(() => stand.stamp(name)))).toEqual([['retire', 'overtaken']]);
  expect(await stand.podNames()).toEqual([name]);
});

it('a Pod that is claimed between the last read and the delete is not removed, nor its account, and nobody is told', async () => {
  const stand = await filled({ replicas: 1 });
  const [name = ''] = await stand.podNames();
  stand.changePool({ spec: { replicas: 0 } });
  stand.beforeNext('DELETE', () => stand.stamp(name));
  expect(outcomes(await stand.visit())).toEqual([['retire', 'overtaken']]);
  const [pod] = await stand.pods();
  expect(pod?.metadata.deletionTimestamp).toBeUndefined();
  expect(await stand.accountNames()).toEqual([name]);
  expect(stand.reported).toEqual([]);
});

it('whoever may not act any more deletes nothing', async () => {
  const stand = await filled({ replicas: 1 });
  stand.changePool({ spec: { replicas: 0 } });
  expect(outcomes(await stand.visit(() => (stand.mayAct = false)))).toEqual([['retire', 'overtaken']]);
  expect(await stand.podNames()).toHaveLength(1);
  expect(stand.removed).toEqual([]);
});

it('a pool that is deleted waits for the Pods that work, and goes when they have ended', async () => {
  const stand = await filled({ replicas: 3 });
  const [, stamped = '', unstamped = ''] = await stand.podNames();
  stand.stamp(stamped);
  stand.atWork(unstamped);
  stand.deletePool();
  expect(outcomes(await stand.visit())).toEqual([['retire', 'asked']]);
  expect(outcomes(await stand.visit())).toEqual([['report', 'asked']]);
  expect(await stand.visit()).toEqual([]);
  expect(await stand.podNames()).toEqual([stamped, unstamped]);
  expect((await stand.storedPool())?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', reason: 'Draining', message: '2 Pods run a job' }),
  );
  stand.ended(stamped);
  stand.ended(unstamped);
  expect(outcomes(await stand.visit())).toEqual([
    ['retire', 'asked'],
    ['retire', 'asked'],
  ]);
  expect(outcomes(await stand.visit())).toEqual([['let-go', 'asked']]);
  expect(await stand.storedPool()).toBeUndefined();
  expect(stand.removed.slice(1)).toEqual([`${stamped}: ended`, `${unstamped}: ended`]);
});

it('a pool does not go while a Pod lives that the cache does not know', async () => {
  const stand = await filled({ replicas: 1 });
  const [name = ''] = await stand.podNames();
  stand.atWork(name);
  stand.deletePool();
  await stand.learn();
  const observed = await stand.controller.observe(`${namespace}/linux`);
  if (observed === undefined) throw new Error('there is a pool');
  expect(await stand.controller.act({ kind: 'let-go' }, { ...observed, pods: [] })).toBe('overtaken');
  expect(await stand.storedPool()).toBeDefined();
});

it('a Pod on a Node that is being drained goes when it is idle, and only then', async () => {
  const stand = await filled({ replicas: 3 });
  const [idle = '', stamped = '', unstamped = ''] = await stand.podNames();
  for (const name of [idle, stamped, unstamped]) stand.bind(name, 'node-a');
  stand.stamp(stamped);
  stand.atWork(unstamped);
  stand.cordon('node-a');
  const results = await stand.visit();
  expect(results).toMatchObject([{ action: { kind: 'retire', why: 'node-drain' }, outcome: 'asked' }]);
  expect(await stand.accountNames()).toEqual([stamped, unstamped]);
});

it('an account whose Pod is gone goes in the next pass, and one that was just made stays', async () => {
  const stand = await filled({ replicas: 2 });
  const [gone = '', other = ''] = await stand.podNames();
  stand.removePod(gone);
  expect(outcomes(await stand.visit())).not.toContainEqual(['sweep', 'asked']);
  stand.clock.jump(61_000);
  expect(outcomes(await stand.visit())).toContainEqual(['sweep', 'asked']);
  expect(await stand.accountNames()).not.toContain(gone);
  expect(await stand.accountNames()).toContain(other);
});

it('an account is kept when its Pod is there after all, and when it is of another owner', async () => {
  const stand = await filled({ replicas: 1 });
  const [name = ''] = await stand.podNames();
  stand.clock.jump(61_000);
  await stand.learn();
  const observed = await stand.controller.observe(`${namespace}/linux`);
  const [account] = observed?.accounts ?? [];
  if (observed === undefined || account === undefined) throw new Error('there is a pool with an account');
  expect(await stand.controller.act({ kind: 'sweep', account }, observed)).toBe('overtaken');
  stand.removePod(name);
  const another = {
    ...observed,
    pool: { ...observed.pool, metadata: { ...observed.pool.metadata, uid: 'other' } },
  };
  expect(await stand.controller.act({ kind: 'sweep', account }, another)).toBe('overtaken');
  expect(await stand.accountNames()).toEqual([name]);
});

it('Pods of an old image are told to end a few at a time, and those that wait are replaced a few at a time', async () => {
  const stand = await filled({ replicas: 5, rollout: { maxConcurrentPercent: 40 } });
  stand.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await stand.visit())).toEqual([
    ['retire', 'asked'],
    ['retire', 'asked'],
  ]);
  const next = outcomes(await stand.visit());
  expect(next.filter(([kind]) => kind === 'create')).toHaveLength(2);
  expect(next.filter(([kind]) => kind === 'retire')).toEqual([]);
});

it('a Mac that waits with an old image is labelled, and one that works is not', async () => {
  const stand = new PoolStand();
  stand.pool({ os: 'darwin', runtimeClass: undefined, replicas: 2 });
  await stand.settle();
  const [idle = '', busy = ''] = await stand.podNames();
  for (const name of [idle, busy]) stand.podStatus(name, { phase: 'Running' });
  stand.stamp(busy);
  stand.changePool({ spec: { image: 'runner@sha256:2', rollout: { maxConcurrentPercent: 100 } } });
  expect(outcomes(await stand.visit())).toEqual([['mark', 'asked']]);
  const labelled = await stand.client.get(pods, { namespace, name: idle });
  expect(labelled.metadata.labels?.[labels.drainEligible.key]).toBe('true');
  expect(await stand.visit()).toEqual([]);
});

it('a Mac that is claimed after the cache was read is not told to end', async () => {
  const stand = new PoolStand();
  stand.pool({ os: 'darwin', runtimeClass: undefined, replicas: 1 });
  await stand.settle();
  const [name = ''] = await stand.podNames();
  stand.podStatus(name, { phase: 'Running' });
  stand.changePool({ spec: { image: 'runner@sha256:2' } });
  expect(outcomes(await stand.visit(() => stand.stamp(name)))).toEqual([['mark', 'overtaken']]);
});

it('a pool whose Pods fail at once makes the next ones slowly', async () => {
  const stand = await filled({ replicas: 5 });
  for (const name of await stand.podNames()) stand.ended(name, 1);
  const first = outcomes(await stand.visit());
  expect(first.filter(([kind]) => kind === 'retire')).toHaveLength(5);
  expect(first.filter(([kind]) => kind === 'create')).toHaveLength(0);
  stand.clock.jump(30_000);
  expect(outcomes(await stand.visit()).filter(([kind]) => kind === 'create')).toHaveLength(1);
  expect(outcomes(await stand.visit()).filter(([kind]) => kind === 'create')).toHaveLength(0);
  stand.clock.jump(5 * 60_000);
  expect(outcomes(await stand.visit()).filter(([kind]) => kind === 'create')).toHaveLength(4);
});

it('the status is written when something has changed, and never only to say that somebody looked', async () => {
  const stand = await filled();
  await stand.visit();
  const first = await stand.poolStatus();
  expect(first).toMatchObject({ observedReplicas: 2, observedImage: 'runner@sha256:1' });
  expect(first.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  stand.clock.jump(6 * 60_000);
  await stand.visit();
  expect(await stand.poolStatus()).toEqual(first);
  stand.changePool({ spec: { image: 'runner@sha256:2' } });
  await stand.visit();
  expect((await stand.poolStatus()).imageRolledAt).toBe('2026-01-01T00:06:00.000Z');
});

async function readiness(stand: PoolStand) {
  const pool = await stand.storedPool();
  const ready = pool?.status?.conditions?.find(({ type }) => type === 'Ready');
  const { status, reason, message } = ready ?? {};
  return { version: pool?.metadata.resourceVersion, said: [status, reason, message] };
}

it('[L10] a pool says which hindrance keeps it from its Pods, and says it once', async () => {
  const stand = await filled({ replicas: 5 });
  for (const name of await stand.podNames()) stand.ended(name, 1);
  await stand.visit();
  const early = 'Pods end within a minute of their start and without a job, so one is made every 30 s';
  const first = await readiness(stand);
  expect(first.said).toEqual(['False', 'RunnerPodsEndEarly', `0 of 5 Pods are there; ${early}`]);
  for (const _ of [1, 2, 3]) {
    stand.clock.jump(5000);
    await stand.visit();
  }
  expect(await readiness(stand)).toEqual(first);
  stand.clock.jump(5 * 60_000);
  await stand.settle();
  expect((await readiness(stand)).said).toEqual(['True', 'ReplicasMet', '5 of 5 Pods are there']);
});

it('[L10] a pool whose Pods hang as they start says that no more may, once', async () => {
  const stand = new PoolStand();
  stand.node('node-a');
  stand.pool({ replicas: 3, provisioning: { maxConcurrentPerFleetSelector: 1 } });
  await stand.settle();
  const first = await readiness(stand);
  const cap = 'as many Pods of the fleet are starting as may at once';
  expect(first.said).toEqual(['False', 'FleetCap', `1 of 3 Pods are there; ${cap}`]);
  stand.clock.jump(60_000);
  await stand.visit();
  expect(await readiness(stand)).toEqual(first);
});

it('[L10] a pool without a Node says so, once, until there is one', async () => {
  const stand = new PoolStand();
  stand.pool();
  await stand.visit();
  await stand.visit();
  const first = await readiness(stand);
  const none = '0 of 2 Pods are there; no Node of the fleet takes a new one';
  expect(first.said).toEqual(['False', 'NoHealthyNode', none]);
  stand.clock.jump(3_600_000);
  await stand.visit();
  expect(await readiness(stand)).toEqual(first);
  stand.node('node-a');
  await stand.settle();
  expect((await readiness(stand)).said).toEqual(['True', 'ReplicasMet', '2 of 2 Pods are there']);
});

it('a pool with a window that is refused still says what keeps it from its Pods', async () => {
  const stand = new PoolStand();
  const window = { days: ['mon'], from: '08:00', to: '18:00', timeZone: 'Mars/Olympus', minWarmPoolFloor: 1 };
  stand.pool({ autoscaling: { enabled: true, windows: [window] } });
  await stand.visit();
  await stand.visit();
  expect((await readiness(stand)).said.slice(0, 2)).toEqual(['False', 'NoHealthyNode']);
  expect((await stand.poolStatus()).conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'WindowRefused' }),
  );
});

it('a Linux pool with docker and without a virtual machine gets no Pod, and says so', async () => {
  const stand = new PoolStand({ template: { dispatchUrl: 'https://x.example/', dindImage: 'docker:dind' } });
  stand.node('node-a');
  stand.pool({ runtimeClass: undefined });
  await stand.visit();
  expect(await stand.visit()).toEqual([]);
  expect((await stand.storedPool())?.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Stalled', status: 'True', reason: 'RuntimeClassRefused' }),
  );
});
