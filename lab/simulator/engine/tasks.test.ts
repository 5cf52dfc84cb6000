import { describe, expect, it } from 'vitest';
import { drain } from '../../harness/drain.ts';
import { noFaults } from '../faults/fault-plan.ts';
import { Runner, type RunnerPorts } from './sim-runner.ts';
import type { Scenario } from './scenario.ts';
import { doTask, merged, type ShareTask } from './tasks.ts';

const ports: RunnerPorts = { drain, progress: () => undefined, isStopped: () => false };

const share: ShareTask = {
  kind: 'share',
  scenario: 'counter',
  mode: 'swarm',
  count: 4,
  from: 1,
  hours: 1,
  bug: 'leaked-watch',
  doubleEvery: undefined,
  part: { index: 0, of: 1 },
};

async function summaryOf(part: ShareTask['part']) {
  const result = await doTask({ ...share, part }, ports);
  if (!('summary' in result)) throw new Error('a share gives a summary');
  return result.summary;
}

describe('shares', () => {
  it('are disjoint, and together cover all seeds', async () => {
    const parts = [await summaryOf({ index: 0, of: 2 }), await summaryOf({ index: 1, of: 2 })];
    expect(parts.map(({ failures }) => failures.map(({ seed }) => seed))).toEqual([
      [1, 3],
      [2, 4],
    ]);
    const all = merged(parts);
    expect([all.runs, all.failures.map(({ seed }) => seed)]).toEqual([4, [1, 2, 3, 4]]);
  });

  it('keep only the smallest plan of failures of one kind', async () => {
    const parts = [await summaryOf({ index: 0, of: 2 }), await summaryOf({ index: 1, of: 2 })];
    const sizes = parts.flatMap(({ failures }) =>
      failures.flatMap(({ shrunk }) => shrunk?.faults.length ?? []),
    );
    const kept = merged(parts).failures.flatMap(({ shrunk }) => shrunk?.faults.length ?? []);
    expect([sizes.length, kept]).toEqual([2, [Math.min(...sizes)]]);
  });
});

it('a hunt ends with the first failure, and names its mode', async () => {
  const task = { kind: 'hunt', scenario: 'counter', bug: 'double-count', seedsMax: 2, hours: 1 } as const;
  const result = await doTask(task, ports);
  if (!('hunted' in result)) throw new Error('a hunt gives what was hunted');
  expect(result.hunted).toMatchObject({ bug: 'double-count', found: { mode: 'crash-points' } });
});

it('a stopped hunt finds nothing, and does not continue', async () => {
  const task = { kind: 'hunt', scenario: 'counter', bug: 'double-count', seedsMax: 2, hours: 1 } as const;
  expect(await doTask(task, { ...ports, isStopped: () => true })).toEqual({
    hunted: { bug: 'double-count', runs: 0, events: 0, found: undefined },
  });
});

it('a run that is not deterministic is a failure', async () => {
  let runs = 0;
  const scenario: Scenario = {
    name: 'moody',
    says: 'each run differs from the one before',
    hours: 1,
    settleMs: 1000,
    bugs: {},
    scripts: {},
    build: (world) => {
      runs += 1;
      world.clock.after(runs, () => undefined);
      return { invariants: [], premises: [], resyncMs: 1, endState: () => null, missing: () => undefined };
    },
  };
  const runner = new Runner({ scenario, bug: undefined }, ports);
  const { failures } = await runner.run([{ label: 'one', seed: 1, hours: 1, faults: () => noFaults }]);
  expect(failures.map(({ violation }) => violation.id)).toEqual(['determinism']);
});
