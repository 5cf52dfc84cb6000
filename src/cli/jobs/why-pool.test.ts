import { expect, it } from 'vitest';
import { now, macPool, pod, poller, pool } from '../../../lab/harness/pool-samples.ts';
import { labels } from '../../api/names/labels.ts';
import { whyPool, type PoolFacts } from './why-pool.ts';

const quiet = { claimed: 0, queued: 0, withheld: 0, occupied: 0, p95LastHour: 0, oldestQueuedAt: undefined };
const signals = { ...quiet, queued: 1, oldestQueuedAt: now - 60_000 };
const asking = pod({ status: poller({ running: {} }) });
const busy = pod({ labels: { [labels.runnerPoolOwner.key]: 'acme' }, status: { phase: 'Running' } });
const ended = pod({ status: { phase: 'Failed' } });

function withMessage(reason: string, message: string): PoolFacts['pool'] {
  const ready = { type: 'Ready', status: 'False', reason, message } as const;
  return { ...pool(), status: { conditions: [ready] } };
}

const early = withMessage('RunnerPodsEndEarly', 'one is made every 30 s');

it.for<readonly [string, Partial<PoolFacts>, string]>([
  [
    'that cannot create its Pods',
    { pool: early, pods: [ended] },
    'jobs wait for Pods: 2 of 2 are missing: RunnerPodsEndEarly, one is made every 30 s',
  ],
  [
    'that cannot create them while the jobs are not known',
    { pool: early, signals: 'no' },
    '2 of 2 are missing: Run',
  ],
  [
    'that lacks one Pod',
    { pool: withMessage('ReplicasMissing', '1 of 2'), pods: [busy] },
    'jobs wait for Pods: 1 of 2 are missing, and the manager creates them',
  ],
  ['that was never reconciled', {}, 'jobs wait for Pods: 2 of 2 are missing, and the manager creates them'],
  ['that is asked for none', { pool: pool({ replicas: 0 }) }, 'the pool has 0 replicas; more replicas help'],
  ['whose Pods all work', { pods: [busy, busy] }, 'the pool is full; more replicas or more Nodes help'],
  ['whose Pods are not up yet', { pods: [busy, pod()] }, 'jobs wait for Pods: 1 are not up yet'],
  [
    'whose Macs are not up yet',
    { pool: macPool(), pods: [pod(), pod()] },
    'jobs wait for Pods: 2 are not up yet',
  ],
  ['whose Pods ask in vain', { pods: [asking, busy] }, 'dispatch does not hand them out'],
  [
    'whose Pods were handed jobs and ended',
    { pods: [asking, asking], signals: { ...signals, p95LastHour: 1 } },
    'dispatch has handed out jobs within the last hour',
  ],
  ['that has enough', { pods: [asking, asking], signals: quiet }, 'no job waits'],
  ['whose accounts have enough', { signals: { ...quiet, withheld: 1 } }, 'jobs wait for the limits'],
])('of a pool %s it says so', ([, other, because]) => {
  const reported = whyPool({ now, pool: pool(), pods: [], signals, ...other });
  expect(reported.facts).toContainEqual(['because', expect.stringContaining(because)]);
  expect(reported.json).toMatchObject({ because: expect.stringContaining(because) });
});
