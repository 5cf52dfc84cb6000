/** The replicas of a pool, written on the embedded API. */
import { expect, it } from 'vitest';
import { namespace, PoolHarness } from '../../../lab/harness/pool-harness.ts';
import { FleetError } from '../../platform/errors/fleet-error.ts';
import { runnerPools, type RunnerPoolObject } from '../state/runner-pool-objects.ts';
import { zoneClock } from '../../platform/zone-clock.ts';
import { Autoscale } from './controller.ts';
import type { Signals } from './target.ts';

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
const autoscaling = { enabled: true, minWarmPoolFloor: 1, maxReplicas: 9 };
const key = `${namespace}/macs`;
const away = new FleetError('unavailable', { reason: 'Http503', message: 'away' });

class ScaleHarness extends PoolHarness {
  signals = new Map<string, Signals | FleetError>();
  known: readonly RunnerPoolObject[] = [];
  readonly autoscale = new Autoscale({
    client: this.client,
    now: () => this.clock.now(),
    wallClock: zoneClock,
    signals: {
      signals: (pool) => {
        const reported = this.signals.get(pool) ?? quiet;
        return reported instanceof FleetError ? Promise.reject(reported) : Promise.resolve(reported);
      },
    },
    find: (wanted) => this.known.find(({ metadata }) => `${namespace}/${metadata.name}` === wanted),
    pools: () => this.known,
    nodes: () => undefined,
    runtimeClasses: () => [],
  });

  macs(replicas: number, more: object = {}, name = 'macs'): void {
    const spec = { os: 'darwin', runtimeClass: undefined, replicas };
    this.pool({ ...spec, autoscaling: { ...autoscaling, ...more } }, name);
  }

  async scale(meanwhile: () => void = () => undefined): Promise<readonly string[]> {
    this.known = (await this.client.listPage(runnerPools, { namespace })).items;
    const observed = await this.autoscale.observe(key);
    if (observed === undefined) return [];
    const plan = this.autoscale.plan(observed);
    meanwhile();
    const outcomes = [];
    for (const action of plan.actions) outcomes.push(await this.autoscale.act(action, observed));
    await this.autoscale.status(observed);
    return outcomes;
  }

  async replicas(): Promise<number | undefined> {
    return (await this.storedPool('macs'))?.spec.replicas;
  }
}

it('replicas are raised at once, and lowered only after a cooldown', async () => {
  const harness = new ScaleHarness();
  harness.macs(1);
  harness.signals.set('macs', { ...quiet, queued: 4 });
  expect([await harness.scale(), await harness.replicas()]).toEqual([['requested'], 5]);
  expect((await harness.storedPool('macs'))?.status?.lastScaleDownAt).toBeUndefined();
  harness.signals.set('macs', { ...quiet, queued: 2 });
  expect([await harness.scale(), await harness.replicas()]).toEqual([['requested'], 3]);
  expect((await harness.storedPool('macs'))?.status?.lastScaleDownAt).toBe('2026-01-01T00:00:00.000Z');
  harness.signals.set('macs', quiet);
  harness.clock.jump(299_000);
  expect([await harness.scale(), await harness.replicas()]).toEqual([[], 3]);
  harness.clock.jump(1000);
  expect([await harness.scale(), await harness.replicas()]).toEqual([['requested'], 1]);
});

it('replicas stay unchanged while dispatch is down, and do not depend on a sibling without signals', async () => {
  const harness = new ScaleHarness();
  harness.macs(4);
  harness.macs(4, {}, 'others');
  harness.signals.set('macs', away);
  expect([await harness.scale(), await harness.replicas()]).toEqual([[], 4]);
  harness.signals.set('macs', { ...quiet, queued: 8 }).set('others', away);
  expect([await harness.scale(), await harness.replicas()]).toEqual([['requested'], 9]);
});

it.for([
  [
    'turned it off',
    (harness: ScaleHarness) => harness.changePool({ spec: { autoscaling: { enabled: false } } }, 'macs'),
  ],
  ['set the number', (harness: ScaleHarness) => harness.changePool({ spec: { replicas: 5 } }, 'macs')],
] as const)('replicas are not overwritten if an operator meanwhile %s', async ([, change]) => {
  const harness = new ScaleHarness();
  harness.macs(1);
  harness.signals.set('macs', { ...quiet, queued: 4 });
  expect(await harness.scale(() => change(harness))).toEqual(['precondition-lost']);
});

it('replicas are not written to a later pool of the same name', async () => {
  const harness = new ScaleHarness();
  harness.macs(1);
  harness.signals.set('macs', { ...quiet, queued: 4 });
  const replaced = harness.scale(() => {
    harness.deletePool('macs');
    harness.macs(1);
  });
  expect([await replaced, await harness.replicas()]).toEqual([['precondition-lost'], 1]);
});

it('replicas are not written after a concurrent write', async () => {
  const harness = new ScaleHarness();
  harness.macs(1);
  harness.signals.set('macs', { ...quiet, queued: 4 });
  harness.beforeNext('PATCH', () => harness.changePool({ spec: { replicas: 2 } }, 'macs'));
  await expect(harness.scale()).rejects.toMatchObject({ kind: 'conflict' });
  expect(await harness.replicas()).toBe(2);
});

it('the last calculation is kept until the pool is deleted or no longer autoscaled', async () => {
  const harness = new ScaleHarness();
  harness.macs(1);
  harness.signals.set('macs', { ...quiet, queued: 4 });
  await harness.scale();
  expect(harness.autoscale.sums.get(key)).toMatchObject({ target: 5, allocated: 5, load: 4, floor: 1 });
  harness.changePool({ spec: { autoscaling: { maxReplicas: 0 } } }, 'macs');
  await harness.scale();
  expect(harness.autoscale.sums.size).toBe(0);
});
