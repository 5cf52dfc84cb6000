/** The simulator on its smallest scenario: correct code passes, and every planted mistake is found and shrunk. */
import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { jobsOf, replayJob, type Mode } from '../engine/jobs.ts';
import { Runner, type Done, type Failure, type Summary } from '../engine/sim-runner.ts';
import { runOnce } from '../engine/run.ts';
import { swarmFaults } from '../faults/swarm.ts';
import { counter } from './counter.ts';

interface Wanted {
  readonly mode?: Mode;
  readonly count?: number;
  readonly from?: number;
  readonly hours?: number;
  readonly bug?: string;
}

function runnerOf(bug: string | undefined, progress: (done: Done) => void = () => undefined): Runner {
  return new Runner({ scenario: counter, bug }, { drain, progress, isStopped: () => false });
}

async function run({ mode = 'swarm', count, from = 1, hours = 2, bug }: Wanted): Promise<Summary> {
  const runner = runnerOf(bug);
  const options = { scenario: counter, mode, count, from, hours };
  return runner.run(await jobsOf(options, (what, sent) => runner.rehearse(what, sent)));
}

/** Takes the first of fifteen seeds that fails. */
async function firstFailure(bug: string): Promise<Failure | undefined> {
  for (let from = 1; from <= 15; from += 1) {
    const { failures } = await run({ count: 1, from, hours: 4, bug });
    if (failures[0] !== undefined) return failures[0];
  }
  return undefined;
}

describe('the counter', () => {
  it('a hundred seeds, each run twice, give the same hash twice, and no two seeds the same', async () => {
    const hashOf = async (seed: number): Promise<string> => {
      const { hash } = await runOnce(counter, {
        seed,
        hours: 0.25,
        drain,
        faults: ({ streams }, targets) => swarmFaults({ streams, targets, forMs: 900_000, strength: 3 }),
      });
      return hash;
    };
    const hashes: string[] = [];
    for (let seed = 1; seed <= 100; seed += 1) {
      const hash = await hashOf(seed);
      expect(await hashOf(seed), `seed ${seed}`).toBe(hash);
      hashes.push(hash);
    }
    expect(new Set(hashes).size).toBe(100);
  });

  it('passes under random faults, and most kinds of faults occur', async () => {
    const { failures, runs, reachability, doubled } = await run({ count: 25 });
    expect({ failures, runs, doubled }).toEqual({ failures: [], runs: 25, doubled: 1 });
    const never = Object.entries(reachability).flatMap(([row, count]) => (count === 0 ? [row] : []));
    expect(never.length, `never: ${never.join(', ')}`).toBeLessThan(4);
  });

  it('passes at every crash point and under every stale view of a run', async () => {
    const crashes = await run({ mode: 'crash-points', hours: 0.5 });
    const views = await run({ mode: 'stale-view', hours: 0.25, count: 60 });
    expect([crashes.failures, views.failures]).toEqual([[], []]);
    expect(crashes.runs % 4, 'four for each write').toBe(0);
    expect(crashes.runs).toBeGreaterThan(16);
    expect(crashes.reachability).toMatchObject({
      'fault crash-before': crashes.runs / 4,
      'fault crash-after': crashes.runs / 4,
      'fault reply-lost': crashes.runs / 4,
      'fault late': crashes.runs / 4,
    });
    expect(views.runs).toBe(60);
  });

  it('settles under a permanent fault, and leaks nothing in a long run', async () => {
    expect((await run({ mode: 'liveness', count: 6 })).failures).toEqual([]);
    expect((await run({ mode: 'soak', hours: 30 })).failures).toEqual([]);
  });
});

describe('a planted mistake', () => {
  it.for([
    ['lost-update', /^(acknowledged|sum)$/],
    ['double-count', /^sum$/],
    ['leaked-watch', /^leak$/],
    ['told-secret', /^secret$/],
  ] as const)('%s is found, and its plan shrinks to at most three faults', async ([bug, broken]) => {
    const first = await firstFailure(bug);
    expect(first?.violation.id).toMatch(broken);
    expect(first?.shrunk?.faults.length).toBeLessThanOrEqual(3);
    expect(first?.timeline.length).toBeLessThanOrEqual(40);
    if (first?.shrunk === undefined) return;
    const again = await runnerOf(bug).run([replayJob(first.shrunk)]);
    expect(again.failures[0]?.violation).toEqual(first.violation);
    const right = await runnerOf(undefined).run([replayJob({ ...first.shrunk, bug: undefined })]);
    expect(right.failures, 'without the mistake the same plan breaks nothing').toEqual([]);
  });

  it('is also found at its crash point', async () => {
    const { failures } = await run({ mode: 'crash-points', hours: 0.5, bug: 'double-count' });
    expect(failures[0]?.label).toMatch(/^on worker-[ab]\/kube\/update configmaps#\d+: late ms=30000$/);
    expect(failures.map(({ violation }) => violation.id)).toContain('sum');
  });
});

describe('a script', () => {
  it('prints the expected timeline, line by line', async () => {
    const { transcripts, failures } = await run({ mode: 'scripted' });
    expect(failures).toEqual([]);
    for (const name of Object.keys(counter.scripts)) {
      // Revisions depend on the initial objects of the API.
      const story = (transcripts[name] ?? []).map((line) => line.replace(/ @\d+/, ''));
      await expect(`${story.join('\n')}\n`).toMatchFileSnapshot(`golden/counter-${name}.txt`);
    }
  });
});

it('stops in the middle of a run when asked', async () => {
  let reported = 0;
  const ports = { drain, progress: () => (reported += 1), isStopped: () => reported > 2 };
  const runner = new Runner({ scenario: counter, bug: undefined }, ports);
  const jobs = await jobsOf(
    { scenario: counter, mode: 'swarm', count: 100, from: 1, hours: 0.1 },
    (what, sent) => runner.rehearse(what, sent),
  );
  const { runs, failures } = await runner.run(jobs);
  expect({ reported, failures, isShort: runs < 5 }).toEqual({ reported: 3, failures: [], isShort: true });
});
