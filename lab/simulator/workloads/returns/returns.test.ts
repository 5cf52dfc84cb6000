/** The simulated cloud in a world: it holds, and each mistake that can be planted is found. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { jobsOf, type Mode } from '../../engine/jobs.ts';
import { Runner, type Summary } from '../../engine/sim-runner.ts';
import { returns } from './returns.ts';

interface Wanted {
  readonly mode?: Mode;
  readonly count?: number;
  readonly from?: number;
  readonly hours?: number;
  readonly bug?: string;
}

async function run({ mode = 'swarm', count, from = 1, hours = 4, bug }: Wanted): Promise<Summary> {
  const runner = new Runner(
    { scenario: returns, bug },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: returns, mode, count, from, hours };
  return runner.run(await jobsOf(options, (what, sent) => runner.rehearse(what, sent)));
}

describe('returns', () => {
  it('holds under faults by chance', async () => {
    expect((await run({ count: 6 })).failures).toEqual([]);
  });

  it('ends as the clean run does, wherever it dies or is not answered', async () => {
    const { failures, runs } = await run({ mode: 'crash-points', hours: 2, count: 24 });
    expect([failures, runs]).toEqual([[], 24]);
  });

  it.for([
    ['rename-first', 'clean-pool', 1],
    ['asked-is-done', 'clean-pool', 1],
    ['lost-is-done', 'clean-pool', 15],
    ['failed-is-empty', 'whole-listing', 1],
    ['remembers-too-long', 'clean-pool', 42],
  ] as const)('the mistake %s breaks %s', async ([bug, id, from]) => {
    const { failures } = await run({ bug, count: 1, from, hours: 6 });
    expect(failures.map(({ violation }) => violation.id)).toEqual([id]);
  });
});
