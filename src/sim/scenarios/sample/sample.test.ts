/** The sample controller in the simulator: it holds, and each mistake that can be planted is found and made small. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../../test/drain.ts';
import { jobsOf, type Mode } from '../../jobs.ts';
import { Runner, type Summary } from '../../runner.ts';
import { sample } from './sample.ts';

interface Wanted {
  readonly mode?: Mode;
  readonly count?: number;
  readonly from?: number;
  readonly hours?: number;
  readonly bug?: string;
}

async function run({ mode = 'swarm', count, from = 1, hours = 2, bug }: Wanted): Promise<Summary> {
  const runner = new Runner(
    { scenario: sample, bug },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: sample, mode, count, from, hours };
  return runner.run(await jobsOf(options, (what, sent) => runner.rehearse(what, sent)));
}

describe('the sample', () => {
  it('holds under faults by chance', async () => {
    expect((await run({ count: 8, hours: 3 })).failures).toEqual([]);
  });

  it('ends as the clean run does, wherever it dies or is not answered', async () => {
    const { failures, runs } = await run({ mode: 'crash-points', hours: 0.5 });
    expect(failures).toEqual([]);
    expect(runs).toBeGreaterThan(40);
  });

  /** With a seed that meets it; `npm run sim` looks for others. */
  it.for([
    ['no-finalizer-first', 'held-first', 1],
    ['drop-before-wipe', 'nothing-forgotten', 1],
    ['act-after-lease-loss', 'single-writer', 1],
    ['no-back-off', 'budget', 1],
    ['forgotten-requeue', 'convergence', 1],
    ['swallowed-error', 'only-the-seen', 7],
    ['no-fresh-read', 'live-box', 12],
  ] as const)(
    'the mistake %s breaks %s with seed %i, and a few faults are enough',
    async ([bug, id, from]) => {
      const { failures } = await run({ bug, from, count: 1, hours: 8 });
      expect(failures.map(({ violation }) => violation.id)).toEqual([id]);
      expect(failures[0]?.shrunk?.faults.length ?? 0).toBeLessThanOrEqual(5);
    },
  );
});
