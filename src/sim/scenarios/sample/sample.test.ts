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
    const { failures, runs } = await run({ mode: 'crash-points', hours: 0.5, count: 60 });
    expect([failures, runs]).toEqual([[], 60]);
  });

  /** Those that the first seed meets within hours; `npm run sim` finds others in more seeds. */
  it.for([
    ['no-finalizer-first', 'held-first'],
    ['drop-before-wipe', 'nothing-forgotten'],
    ['act-after-lease-loss', 'single-writer'],
    ['no-back-off', 'budget'],
  ] as const)('the mistake %s breaks %s, and few faults are enough', async ([bug, id]) => {
    const { failures } = await run({ bug, count: 1, hours: 8 });
    expect(failures.map(({ violation }) => violation.id)).toEqual([id]);
    expect(failures[0]?.shrunk?.faults.length ?? 0).toBeLessThanOrEqual(5);
  });
});
