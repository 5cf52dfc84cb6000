/** The stand-in for Cluster API in a world: it holds, and the mistake that can be planted is found. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../../harness/drain.ts';
import { jobsOf, type Mode } from '../../engine/jobs.ts';
import { Runner, type Summary } from '../../engine/sim-runner.ts';
import { machines } from './machines.ts';

interface Wanted {
  readonly mode?: Mode;
  readonly count?: number;
  readonly hours?: number;
  readonly bug?: string;
}

async function run({ mode = 'swarm', count, hours = 1, bug }: Wanted): Promise<Summary> {
  const runner = new Runner(
    { scenario: machines, bug },
    { drain, progress: () => undefined, isStopped: () => false },
  );
  const options = { scenario: machines, mode, count, from: 1, hours };
  return runner.run(await jobsOf(options, (what, sent) => runner.rehearse(what, sent)));
}

describe('machines', () => {
  it('holds under faults by chance', async () => {
    expect((await run({ count: 3, hours: 0.5 })).failures).toEqual([]);
  });

  it('ends as the clean run does, wherever it dies or is not answered', async () => {
    const { failures, runs } = await run({ mode: 'crash-points', hours: 0.25, count: 12 });
    expect([failures, runs]).toEqual([[], 12]);
  });

  it('a Machine without a finalizer goes before its infrastructure, and that is found', async () => {
    const { failures } = await run({ bug: 'no-finalizer', count: 1 });
    expect(failures.map(({ violation }) => violation.id)).toEqual(['machine-last']);
  });
});
