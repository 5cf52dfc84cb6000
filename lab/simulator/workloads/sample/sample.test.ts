/** The sample controller in the simulator: it passes, and each planted mistake is found and shrunk. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import type { PlanEntry } from '../../faults/fault-plan.ts';
import { jobsOf, replayJob, type Mode } from '../../engine/jobs.ts';
import { Runner, type Summary } from '../../engine/sim-runner.ts';
import type { Scenario } from '../../engine/scenario.ts';
import { sample } from './sample.ts';

interface Wanted {
  readonly mode?: Mode;
  readonly count?: number;
  readonly from?: number;
  readonly hours?: number;
  readonly bug?: string;
  readonly doubleEvery?: number;
  /** Only plans whose text matches. */
  readonly about?: RegExp;
}

async function run(wanted: Wanted): Promise<Summary> {
  const { mode = 'swarm', count, from = 1, hours = 2, bug, doubleEvery, about = /./ } = wanted;
  const runner = new Runner(
    { scenario: sample, bug, doubleEvery, failuresMax: 1 },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: sample, mode, count, from, hours };
  const jobs = await jobsOf(options, (what, sent) => runner.rehearse(what, sent));
  return runner.run(jobs.filter(({ label }) => about.test(label)));
}

function readSlowly(count: string): PlanEntry {
  return { on: `manager-b/kube/get configmaps${count}`, fault: { kind: 'slow-reply', ms: 3000 } };
}

function paused(atMs: number): PlanEntry {
  return { atMs, fault: { kind: 'pause', process: 'manager-b', forMs: 590_000 } };
}

describe('the sample', () => {
  it('passes under random faults', async () => {
    expect((await run({ count: 8, hours: 3 })).failures).toEqual([]);
  });

  it('ends like the clean run, at every crash point and lost answer', async () => {
    const { failures, runs } = await run({ mode: 'crash-points', hours: 0.5, count: 60 });
    expect([failures, runs]).toEqual([[], 60]);
  });

  /** In each plan a replica continued after another replica led; the lease and the sample must both prevent damage. */
  it.for([
    ['is paused while it verifies a wipe', readSlowly('#3'), paused(250_000)],
    ['is paused while it verifies a fill', readSlowly('#2'), paused(228_500)],
    [
      'waits for a lease by a clock that jumps',
      { on: 'manager-b/kube/update leases.coordination.k8s.io#7', fault: { kind: 'refused' } },
      { atMs: 235_000, fault: { kind: 'clock-jump', process: 'manager-a', ms: 300_000 } },
    ],
  ] as const)('has one writer when a replica %s', async ([, ...faults]) => {
    const runner = new Runner(
      { scenario: sample, bug: undefined },
      { drain, progress: () => undefined, isStopped: () => false },
    );
    const { failures, faults: done } = await runner.run([
      replayJob({ scenario: 'sample', seed: 1, hours: 1, faults: [...faults] }),
    ]);
    expect([failures, done]).toEqual([[], 2]);
  });

  it('ends alike for every seed, so that one clean run is enough for comparison', async () => {
    const runner = new Runner(
      { scenario: { ...sample, endsAlike: false }, bug: undefined },
      { drain, progress: () => undefined, isStopped: () => false },
    );
    const one = await runner.rehearse({ seed: 1, hours: 1 });
    const other = await runner.rehearse({ seed: 2, hours: 1 });
    expect(other.hash).not.toBe(one.hash);
    expect(other.endState).toEqual(one.endState);
  });

  it('runs the other seeds when the reference run of one seed fails', async () => {
    let builds = 0;
    const build: Scenario['build'] = (world, setting) => {
      builds += 1;
      if (builds === 1) world.clock.after(1000, () => world.violate('planted', 'the first run breaks'));
      return sample.build(world, setting);
    };
    const runner = new Runner(
      { scenario: { ...sample, build }, bug: undefined },
      { drain, progress: () => undefined, isStopped: () => false },
    );
    const jobs = [1, 2, 3].map((seed) => replayJob({ scenario: 'sample', seed, hours: 0.5, faults: [] }));
    const { failures, runs } = await runner.run(jobs);
    expect([failures.map(({ seed, violation }) => [seed, violation.id]), runs]).toEqual([
      [[1, 'planted']],
      3,
    ]);
  });

  /**
   * Each mistake under a mode that finds it for sure; `npm run sim -- --scenario sample --hunt` searches for all of
   * them.
   */
  it.for([
    ['no-finalizer-first', 'held-first', { count: 1 }],
    ['drop-before-wipe', 'nothing-forgotten', { count: 1 }],
    ['swallowed-error', 'only-the-seen', { mode: 'crash-points', about: /shelf\/put/, hours: 1 }],
    ['act-after-lease-loss', 'single-writer', { count: 5, hours: 8 }],
    ['no-back-off', 'budget', { count: 1, hours: 8 }],
    ['forgotten-requeue', 'convergence', { mode: 'crash-points', about: /patch configmaps/, hours: 1 }],
    ['no-fresh-read', 'live-box', { mode: 'stale-view', about: /clog .*shelf\/put/, hours: 1 }],
    ['stale-cache-trusted', 'left-alone', { mode: 'stale-view', about: /clog .*shelf\/wipe/, hours: 1 }],
  ] as const)('the mistake %s violates %s with few faults', async ([bug, id, where]) => {
    const { failures } = await run({ bug, ...where });
    expect(failures.map(({ violation }) => violation.id)).toEqual([id]);
    expect(failures[0]?.shrunk?.faults.length ?? 99).toBeLessThanOrEqual(5);
  });
});
