/** The embedded server, called in process, under the contract suite. */
import { schedulingCases } from '../../../lab/contracts/kubernetes-api/cases/scheduling.ts';
import { InProcessTarget } from '../../../lab/contracts/kubernetes-api/in-process-target.ts';
import { describeContract } from '../../../lab/contracts/kubernetes-api/suite.ts';

/** A seeded random generator, equal on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describeContract('embedded, in process', async () => new InProcessTarget({ next: mulberry32(1) }, 2000));

describeContract(
  'embedded scheduler, in process',
  async () => new InProcessTarget({ next: mulberry32(1) }, 2000, {}),
  { cases: schedulingCases },
);
