/** Deliveries that come in the same moment end as if they had come one after another. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Effect } from '../port.ts';
import type { Rule } from './rules.ts';
import { draft, noon, type Stage } from './stage.ts';

interface Said {
  readonly kind: 'wait' | 'enqueue';
  /** Which of a few jobs. */
  readonly job: number;
  /** Deliveries with the same number are attempts of one. */
  readonly delivery: number;
}

const said: fc.Arbitrary<Said> = fc.record({
  kind: fc.constantFrom('enqueue', 'enqueue', 'enqueue', 'wait'),
  job: fc.integer({ min: 0, max: 5 }),
  delivery: fc.integer({ min: 0, max: 30 }),
});

/** One delivery says one thing, however often it comes. */
const crowds = fc
  .array(said, { minLength: 2, maxLength: 40 })
  .map((all) => all.map((one) => all.find(({ delivery }) => delivery === one.delivery) ?? one));

/** What became of each. */
async function tell(
  stage: Stage,
  crowd: readonly Said[],
  { run, atOnce }: { readonly run: string; readonly atOnce: boolean },
): Promise<readonly string[]> {
  const outcomes: Promise<string>[] = [];
  for (const { kind, job, delivery } of crowd) {
    const about = { kind, job: draft(idOf(run, job), { pool: `pool-${job % 2}` }) };
    const effect: Effect = kind === 'enqueue' ? { ...about, kind, at: noon + 1000 } : { ...about, kind };
    const outcome = stage.deliver(effect, `${run} ${delivery}`);
    if (!atOnce) await outcome;
    outcomes.push(outcome);
  }
  return Promise.all(outcomes);
}

function idOf(run: string, job: number): string {
  return `${run} ${job}`;
}

/** What is stored of the jobs that were told of, but for their ids. */
async function endOf(stage: Stage, crowd: readonly Said[], run: string): Promise<readonly unknown[]> {
  const jobs = [...new Set(crowd.map(({ job }) => job))].toSorted((a, b) => a - b);
  return Promise.all(jobs.map(async (job) => ({ ...(await stage.store.job(idOf(run, job))), id: job })));
}

export const crowdRules: readonly Rule[] = [
  {
    rule: 'deliveries of one moment end as one after another, and of each attempt but one it is said that it is known',
    proves: async (stage) => {
      await stage.account('7');
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(crowds, async (crowd) => {
          const [one, other] = [`in turn ${(runs += 1)}`, `at once ${runs}`];
          const inTurn = await tell(stage, crowd, { run: one, atOnce: false });
          const toldOfTurns = stage.told.length;
          const atOnce = await tell(stage, crowd, { run: other, atOnce: true });
          expect(await endOf(stage, crowd, other)).toEqual(await endOf(stage, crowd, one));
          const once = new Set(crowd.map(({ delivery }) => delivery)).size;
          const queued = new Set(crowd.filter(({ kind }) => kind === 'enqueue').map(({ job }) => job)).size;
          for (const outcomes of [inTurn, atOnce]) {
            expect(outcomes.filter((outcome) => outcome !== 'known')).toHaveLength(once);
            const changes = outcomes.filter(
              (outcome, index) => outcome === 'changed' && crowd[index]?.kind === 'enqueue',
            );
            expect(changes).toHaveLength(queued);
          }
          expect(stage.told.slice(toldOfTurns)).toHaveLength(queued);
        }),
        { numRuns: 60 },
      );
    },
  },
  {
    rule: 'a delivery that is known brings no job, whatever it says now, alone or in a crowd',
    proves: async (stage) => {
      await stage.account('7');
      await stage.deliver({ kind: 'wait', job: draft('1') }, 'known');
      const crowd = ['a', 'b', 'known', 'known', 'c', 'known'];
      const outcomes = await Promise.all(
        crowd.map(async (guid, index) =>
          stage.deliver({ kind: 'enqueue', job: draft(`${guid} ${index}`) }, guid),
        ),
      );
      expect(outcomes).toEqual(crowd.map((guid) => (guid === 'known' ? 'known' : 'changed')));
      const jobs = await stage.store.jobs({ states: ['queued'], limit: 10 });
      expect(jobs.map(({ id }) => id).toSorted()).toEqual(['a 0', 'b 1', 'c 4']);
    },
  },
  {
    rule: 'an installation that is asked for by many at once is told to each of them',
    proves: async (stage) => {
      for (const id of ['7', '8', '9']) await stage.account(id);
      const ids = ['9', '7', 'unknown', '8', '7', '7', '9', 'unknown', '8'];
      const seen = await Promise.all(ids.map(async (id) => stage.store.installation(id)));
      expect(seen.map((installation) => installation?.id ?? 'unknown')).toEqual(ids);
    },
  },
];
