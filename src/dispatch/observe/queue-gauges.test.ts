/** The queue gauges: every pool, also without jobs, and what is left of a deleted pool. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../../lab/harness/test-clock.ts';
import { PromMetrics } from '../../platform/process/prom-metrics.ts';
import type { KnownPool } from '../assign/runner-pool-lister.ts';
import { QueueGauges } from './queue-gauges.ts';
import { MemoryStore } from '../store/model/memory-store.ts';
import { draft, endedBy, noon, Fixture } from '../../../lab/contracts/store/harness.ts';
import { longestSessionMs } from '../store/session-load.ts';

const there = (name: string): KnownPool => ({ name, isBeingDeleted: false });
const leaving = (name: string): KnownPool => ({ name, isBeingDeleted: true });

let clock: TestClock;
let setup: Fixture;
let metrics: PromMetrics;
let pools: readonly KnownPool[] | undefined;
let gauges: QueueGauges;
beforeEach(async () => {
  clock = new TestClock(noon);
  setup = new Fixture(new MemoryStore());
  metrics = new PromMetrics();
  pools = [there('linux'), there('mac')];
  gauges = new QueueGauges({ store: setup.store, clock, pools: () => pools });
  gauges.measure(metrics);
  await setup.account('7');
});

async function shown(): Promise<readonly string[]> {
  await gauges.look();
  const text = await metrics.text();
  return text.split('\n').filter((line) => /^(tuist_runners|muster_queue)_/.test(line));
}

const nothingOf = (fleet: string): readonly string[] => [
  `tuist_runners_queue_length{fleet="${fleet}"} 0`,
  `tuist_runners_queue_withheld{fleet="${fleet}"} 0`,
  `tuist_runners_queue_oldest_age_seconds{fleet="${fleet}"} 0`,
  `muster_queue_without_pool{fleet="${fleet}"} 0`,
  `tuist_runners_session_clamped_count{fleet="${fleet}"} 0`,
  `tuist_runners_claims_count{fleet="${fleet}",lifecycle_state="claimed"} 0`,
  `tuist_runners_claims_count{fleet="${fleet}",lifecycle_state="running"} 0`,
];

it('a pool without jobs has zeros, also while being deleted; a deleted pool has no series', async () => {
  expect((await shown()).toSorted()).toEqual([...nothingOf('linux'), ...nothingOf('mac')].toSorted());
  pools = [leaving('mac')];
  expect((await shown()).toSorted()).toEqual(nothingOf('mac').toSorted());
});

it('jobs are counted from the queue to their end, and the gauges return to zero', async () => {
  const queuedAt = clock.now() - 90_000;
  await setup.queued(draft('1', { queuedAt }), draft('2', { queuedAt: queuedAt + 60_000 }));
  const first = await shown();
  expect(first).toContain('tuist_runners_queue_length{fleet="linux"} 2');
  expect(first).toContain('tuist_runners_queue_oldest_age_seconds{fleet="linux"} 90');
  const claim = await setup.claim('a');
  const claimed = await shown();
  expect(claimed).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 1');
  expect(claimed).toContain('tuist_runners_claims_count{fleet="mac",lifecycle_state="claimed"} 0');
  await setup.promote(claim, 'runner-a');
  const second = await shown();
  expect(second).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 0');
  expect(second).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="running"} 1');
  expect(second).toContain('tuist_runners_queue_oldest_age_seconds{fleet="linux"} 30');
  await setup.serve('b', 'runner-b');
  await setup.stop('a');
  await setup.stop('b');
  expect((await shown()).toSorted()).toEqual([...nothingOf('linux'), ...nothingOf('mac')].toSorted());
});

it('jobs beyond a budget are withheld, and not in the queue', async () => {
  await setup.store.setLimit({ accountId: '7', platform: 'linux', vcpus: 0, memoryGb: 0 });
  await setup.queued(draft('1'));
  const lines = await shown();
  expect(lines).toContain('tuist_runners_queue_length{fleet="linux"} 0');
  expect(lines).toContain('tuist_runners_queue_withheld{fleet="linux"} 1');
});

it.each([
  { how: 'being deleted', without: [leaving('linux')] },
  { how: 'gone', without: [] },
])(
  'jobs of a pool that is $how also count as jobs without a pool, until the pool is back',
  async ({ without }) => {
    await setup.store.setLimit({ accountId: '7', platform: 'linux', vcpus: 4, memoryGb: 8 });
    await setup.queued(draft('1', { queuedAt: noon - 90_000 }), draft('2'));
    expect(await shown()).toContain('muster_queue_without_pool{fleet="linux"} 0');
    pools = without;
    const alone = [
      'tuist_runners_queue_length{fleet="linux"} 1',
      'tuist_runners_queue_withheld{fleet="linux"} 1',
      'tuist_runners_queue_oldest_age_seconds{fleet="linux"} 90',
      'muster_queue_without_pool{fleet="linux"} 2',
      'tuist_runners_session_clamped_count{fleet="linux"} 0',
      'tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 0',
      'tuist_runners_claims_count{fleet="linux",lifecycle_state="running"} 0',
    ];
    expect((await shown()).toSorted()).toEqual(alone.toSorted());
    pools = [there('linux')];
    expect(await shown()).toContain('muster_queue_without_pool{fleet="linux"} 0');
  },
);

it('a deleted pool has series until its last job and claim end', async () => {
  await setup.queued(draft('1'), draft('2', { queuedAt: noon + 1 }));
  await setup.claim('a');
  pools = [];
  expect(await shown()).toContain('muster_queue_without_pool{fleet="linux"} 1');
  await setup.deliver({ kind: 'complete', job: draft('2'), end: endedBy(undefined) });
  const last = await shown();
  expect(last).toContain('muster_queue_without_pool{fleet="linux"} 0');
  expect(last).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 1');
  await setup.deliver({ kind: 'complete', job: draft('1'), end: endedBy(undefined) });
  await setup.stop('a');
  expect(await shown()).toEqual([]);
});

it('while the pools are unknown, none counts as deleted', async () => {
  await setup.queued(draft('1'));
  pools = undefined;
  expect(await shown()).toEqual([]);
});

it('a pool created during a read, with its first job, does not count as deleted', async () => {
  await setup.queued(draft('1'));
  pools = [];
  const { store } = setup;
  const late = new QueueGauges({
    clock,
    pools: () => pools,
    store: {
      signals: async (pool, at) => store.signals(pool, at),
      claims: async () => store.claims(),
      openSessions: async () => store.openSessions(),
      queuedPools: async () => {
        pools = [there('linux')];
        return store.queuedPools();
      },
    },
  });
  metrics = new PromMetrics();
  late.measure(metrics);
  await late.look();
  expect(await metrics.text()).toContain('muster_queue_without_pool{fleet="linux"} 0');
});

it('the age of the last complete read grows while the database fails or the pools are unknown', async () => {
  let isBroken = false;
  const { store } = setup;
  const queuedPools: typeof store.queuedPools = async () => {
    if (isBroken) throw new Error('no database');
    return store.queuedPools();
  };
  gauges = new QueueGauges({
    clock,
    pools: () => pools,
    store: {
      queuedPools,
      signals: async (pool, at) => store.signals(pool, at),
      claims: async () => store.claims(),
      openSessions: async () => store.openSessions(),
    },
  });
  metrics = new PromMetrics();
  gauges.measure(metrics);
  const age = async (): Promise<string | undefined> =>
    /^muster_dispatch_queue_look_age_seconds (.*)$/m.exec(await metrics.text())?.[1];
  await clock.pass(30_000);
  expect(await age()).toBe('30');
  await gauges.look();
  expect(await age()).toBe('0');
  isBroken = true;
  await clock.pass(30_000);
  await expect(gauges.look()).rejects.toThrow('no database');
  expect(await age()).toBe('30');
  isBroken = false;
  pools = undefined;
  await clock.pass(30_000);
  await gauges.look();
  expect(await age()).toBe('60');
  pools = [];
  await gauges.look();
  expect(await age()).toBe('0');
});

it('a session older than the limit is counted until it ends, also after its pool is deleted', async () => {
  const clamped = (count: number): string => `tuist_runners_session_clamped_count{fleet="linux"} ${count}`;
  await setup.queued(draft('1'), draft('2'));
  await setup.serve('a', 'runner-a');
  clock.jump(longestSessionMs - 1);
  expect(await shown()).toContain(clamped(0));
  clock.jump(1);
  const lines = await shown();
  expect(lines).toContain(clamped(1));
  expect(lines).toContain('tuist_runners_session_clamped_count{fleet="mac"} 0');
  await setup.deliver({ kind: 'complete', job: draft('1'), end: endedBy('runner-a') });
  await setup.deliver({ kind: 'complete', job: draft('2'), end: endedBy(undefined) });
  pools = [];
  expect(await shown()).toContain(clamped(1));
  await setup.stop('a');
  expect(await shown()).toEqual([]);
});
