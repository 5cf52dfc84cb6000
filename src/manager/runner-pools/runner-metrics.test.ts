/** Gauges of runner pools. */
import { expect, it } from 'vitest';
import { macPool, node, now, pod, poller, pool } from '../../../lab/harness/pool-samples.ts';
import { labels } from '../../api/names/labels.ts';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import { measureRunners, type RunnerGauges } from './runner-metrics.ts';

const quiet: RunnerGauges = {
  isLeading: () => true,
  now: () => now,
  pools: () => [pool()],
  podsOf: () => [],
  nodes: () => [],
  rollSince: () => undefined,
  sums: undefined,
};

async function shown(gauges: Partial<RunnerGauges>, name: string): Promise<readonly string[]> {
  const metrics = new PromMetrics();
  measureRunners(metrics, { ...quiet, ...gauges });
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) => line.startsWith(`${name}{`)).map((line) => line.slice(name.length));
}

const polling = poller({ running: {} });
const running = { phase: 'Running' };
const owner = { [labels.runnerPoolOwner.key]: 'acme' };

it('idle counts Pods that wait for a job: pollers on Linux, machines on Macs, and none with an owner', async () => {
  const pods = [
    pod({ status: polling }),
    pod(),
    pod({ status: running }),
    pod({ status: polling, labels: owner }),
  ];
  const name = 'tuist_runners_pool_idle_replicas';
  expect(await shown({ podsOf: () => pods }, name)).toEqual(['{pool="linux"} 1']);
  expect(await shown({ pools: () => [macPool()], podsOf: () => pods }, name)).toEqual(['{pool="linux"} 1']);
  const all = [pod({ status: polling, labels: owner })];
  expect(await shown({ podsOf: () => all }, name)).toEqual(['{pool="linux"} 0']);
});

it('the age of pending Pods is shown for Macs only', async () => {
  const name = 'tuist_runners_pool_oldest_pending_pod_age_seconds';
  const podsOf = () => [pod(), pod({ status: running })];
  expect(await shown({ podsOf }, name)).toEqual([]);
  expect(await shown({ podsOf, pools: () => [macPool()] }, name)).toEqual(['{pool="linux"} 3600']);
});

it('a rollout shows its stale Pods, the Pods under way, and the time without progress', async () => {
  const podsOf = () => [pod({ image: 'old', status: polling }), pod()];
  const rollSince = () => now - 90_000;
  const values = await Promise.all(
    [
      'tuist_runners_pool_stale_pods',
      'tuist_runners_pool_rolling_pods',
      'tuist_runners_pool_roll_concurrency_cap',
      'muster_pool_roll_stalled_seconds',
    ].map((name) => shown({ podsOf, rollSince }, name)),
  );
  expect(values.flat()).toEqual([
    '{pool="linux"} 1',
    '{pool="linux"} 1',
    '{pool="linux"} 1',
    '{pool="linux"} 90',
  ]);
  expect(await shown({}, 'muster_pool_roll_stalled_seconds')).toEqual(['{pool="linux"} 0']);
});

it('Nodes of a fleet are counted once, by the reason why they take no Pods', async () => {
  const nodes = () => [node('a'), node('b', { unschedulable: true }), node('c', {}, [])];
  const pools = () => [pool(), pool()];
  expect(await shown({ nodes, pools }, 'tuist_runners_fleet_ready_nodes')).toEqual([
    '{fleet_selector="linux-nodes",operating_system="linux"} 1',
  ]);
  expect(await shown({ nodes, pools }, 'tuist_runners_fleet_filtered_nodes')).toContain(
    '{fleet_selector="linux-nodes",operating_system="linux",reason="not_ready"} 1',
  );
});

it('the result of the autoscaler is shown while the pool exists', async () => {
  const signals = { claimed: 1, occupied: 2, queued: 3, withheld: 0, p95: 0 };
  const last = { load: 5, floor: 30, target: 35, allocated: 10, signals };
  const sums = () => new Map([['tuist-runners/linux', last]]);
  const name = 'tuist_runners_autoscaler_warm_deficit_replicas';
  expect(await shown({ sums }, name)).toEqual(['{pool="linux"} 25']);
  expect(await shown({ sums, pools: () => [] }, name)).toEqual([]);
  expect(await shown({ sums, isLeading: () => false }, name)).toEqual([]);
});
