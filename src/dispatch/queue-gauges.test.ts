/** What is shown of the queue: every pool, also one without jobs, and nothing of a pool that is gone. */
import { beforeEach, expect, it } from 'vitest';
import { TestClock } from '../../test/test-clock.ts';
import { PromMetrics } from '../runtime/process/prom-metrics.ts';
import { QueueGauges } from './queue-gauges.ts';
import { MemoryStore } from './store/contract/model/memory-store.ts';
import { draft, noon, Stage } from './store/contract/stage.ts';

const clock = new TestClock(noon);
let stage: Stage;
let metrics: PromMetrics;
let pools: string[];
let gauges: QueueGauges;
beforeEach(async () => {
  stage = new Stage(new MemoryStore());
  metrics = new PromMetrics();
  pools = ['linux', 'mac'];
  gauges = new QueueGauges({ store: stage.store, clock, pools: () => pools });
  gauges.measure(metrics);
  await stage.account('7');
});

async function shown(): Promise<readonly string[]> {
  await gauges.look();
  const text = await metrics.text();
  return text.split('\n').filter((line) => line.startsWith('tuist_runners_'));
}

const nothingOf = (fleet: string): readonly string[] => [
  `tuist_runners_queue_length{fleet="${fleet}"} 0`,
  `tuist_runners_queue_withheld{fleet="${fleet}"} 0`,
  `tuist_runners_queue_oldest_age_seconds{fleet="${fleet}"} 0`,
  `tuist_runners_claims_count{fleet="${fleet}",lifecycle_state="claimed"} 0`,
  `tuist_runners_claims_count{fleet="${fleet}",lifecycle_state="running"} 0`,
];

it('a pool without jobs is shown with zeros, and one that is gone is not shown', async () => {
  expect((await shown()).toSorted()).toEqual([...nothingOf('linux'), ...nothingOf('mac')].toSorted());
  pools = ['mac'];
  expect((await shown()).toSorted()).toEqual(nothingOf('mac').toSorted());
});

it('jobs are shown from their queue to their end, and go back to zero', async () => {
  const queuedAt = clock.now() - 90_000;
  await stage.queued(draft('1', { queuedAt }), draft('2', { queuedAt: queuedAt + 60_000 }));
  const first = await shown();
  expect(first).toContain('tuist_runners_queue_length{fleet="linux"} 2');
  expect(first).toContain('tuist_runners_queue_oldest_age_seconds{fleet="linux"} 90');
  const claim = await stage.claim('a');
  expect(await shown()).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 1');
  await stage.promote(claim, 'runner-a');
  const second = await shown();
  expect(second).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="claimed"} 0');
  expect(second).toContain('tuist_runners_claims_count{fleet="linux",lifecycle_state="running"} 1');
  expect(second).toContain('tuist_runners_queue_oldest_age_seconds{fleet="linux"} 30');
  await stage.serve('b', 'runner-b');
  await stage.stop('a');
  await stage.stop('b');
  expect((await shown()).toSorted()).toEqual([...nothingOf('linux'), ...nothingOf('mac')].toSorted());
});

it('what a budget has no room for is withheld, and not in the queue', async () => {
  await stage.store.setLimit({ accountId: '7', platform: 'linux', vcpus: 0, memoryGb: 0 });
  await stage.queued(draft('1'));
  const lines = await shown();
  expect(lines).toContain('tuist_runners_queue_length{fleet="linux"} 0');
  expect(lines).toContain('tuist_runners_queue_withheld{fleet="linux"} 1');
});
