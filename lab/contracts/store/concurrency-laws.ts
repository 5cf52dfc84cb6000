/** Deliveries of the same moment end as in the model, which receives them one after another. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Effect, JobStore } from '../../../src/dispatch/store/port.ts';
import type { JobDraft } from '../../../src/dispatch/store/rows.ts';
import { MemoryStore } from '../../../src/dispatch/store/model/memory-store.ts';
import type { Rule } from './rules.ts';
import { draft, endedBy, noon, type Fixture } from './harness.ts';

interface Said {
  readonly kind: 'wait' | 'enqueue' | 'start' | 'complete';
  /** The index of the job. */
  readonly job: number;
  /** Deliveries with the same number are attempts of one delivery. */
  readonly delivery: number;
}

/** Most deliveries are of queued jobs: only these are batched. */
function crowdOf(...others: readonly Said['kind'][]): fc.Arbitrary<readonly Said[]> {
  const said = fc.record({
    kind: fc.constantFrom<Said['kind'][]>('enqueue', 'enqueue', 'enqueue', 'enqueue', ...others),
    job: fc.integer({ min: 0, max: 11 }),
    delivery: fc.integer({ min: 0, max: 40 }),
  });
  // All attempts of a delivery have the same content.
  return fc
    .array(said, { minLength: 2, maxLength: 50 })
    .map((all) => all.map((one) => all.find(({ delivery }) => delivery === one.delivery) ?? one));
}

const founds = fc.subarray([1, 2, 3, 4]);

function jobOf(run: number, job: number): JobDraft {
  return draft(`${run} ${job}`, { pool: `pool-${job % 2}` });
}

function effectOf({ kind, job }: Said, run: number): Effect {
  const about = jobOf(run, job);
  const runnerName = `runner of ${about.id}`;
  if (kind === 'enqueue') return { kind, job: about, at: noon + 1000 };
  if (kind === 'start') return { kind, job: about, runnerName, at: noon + 1000 };
  return kind === 'complete' ? { kind, job: about, end: endedBy(runnerName) } : { kind, job: about };
}

async function deliver(store: JobStore, one: Said, run: number): Promise<string> {
  const guid = `${run} ${one.delivery}`;
  const delivery = { guid, event: 'workflow_job', action: one.kind, receivedAt: noon };
  return store.ingest(delivery, effectOf(one, run));
}

/** The stored state of all jobs of a run. */
async function endOf(store: JobStore, crowd: readonly Said[], run: number): Promise<readonly unknown[]> {
  const jobs = [...new Set(crowd.map(({ job }) => job))];
  return Promise.all(jobs.map(async (job) => store.job(jobOf(run, job).id)));
}

interface Crowd {
  readonly said: readonly Said[];
  readonly run: number;
  /** Jobs that the recovery had found at GitHub before. */
  readonly found?: readonly number[];
}

/** Compares the result of each parallel delivery with the model. */
async function compared(
  fixture: Fixture,
  { said: crowd, run, found = [] }: Crowd,
): Promise<readonly string[]> {
  const model = new MemoryStore();
  for (const store of [model, fixture.store])
    for (const job of found) await store.apply({ kind: 'enqueue', job: jobOf(run, job), at: noon + 1000 });
  for (const one of crowd) await deliver(model, one, run);
  const outcomes = await Promise.all(crowd.map(async (one) => deliver(fixture.store, one, run)));
  expect(await endOf(fixture.store, crowd, run)).toEqual(await endOf(model, crowd, run));
  const once = new Set(crowd.map(({ delivery }) => delivery)).size;
  expect(outcomes.filter((outcome) => outcome !== 'known')).toHaveLength(once);
  return outcomes;
}

export const crowdRules: readonly Rule[] = [
  {
    rule: 'parallel deliveries end like sequential ones; each counts once, and each job emits one event',
    proves: async (fixture) => {
      await fixture.account('7');
      let run = 0;
      await fc.assert(
        fc.asyncProperty(crowdOf('wait'), async (crowd) => {
          const reportedBefore = fixture.reported.length;
          const outcomes = await compared(fixture, { said: crowd, run: (run += 1) });
          const queued = crowd.filter(({ kind }) => kind === 'enqueue');
          const jobs = new Set(queued.map(({ job }) => job)).size;
          const changes = outcomes.filter(
            (outcome, index) => outcome === 'changed' && crowd[index]?.kind === 'enqueue',
          );
          expect([changes.length, fixture.reported.length - reportedBefore]).toEqual([jobs, jobs]);
        }),
        { numRuns: 50 },
      );
    },
  },
  {
    rule: 'so do deliveries in which jobs begin and end, and deliveries of jobs that the recovery has found',
    proves: async (fixture) => {
      await fixture.account('7');
      let run = 1000;
      await fc.assert(
        fc.asyncProperty(crowdOf('wait', 'start', 'complete'), founds, async (said, found) => {
          await compared(fixture, { said, run: (run += 1), found });
        }),
        { numRuns: 40 },
      );
    },
  },
  {
    rule: 'a known delivery adds no job, whatever its content, alone or in a batch',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.deliver({ kind: 'wait', job: draft('1') }, 'known');
      const crowd = ['a', 'b', 'known', 'known', 'c', 'known', 'c'];
      const outcomes = await Promise.all(
        crowd.map(async (guid, index) =>
          fixture.deliver({ kind: 'enqueue', job: draft(`${guid} ${index}`) }, guid),
        ),
      );
      // Of the two attempts of c, whichever came first.
      const changed = crowd.filter((_, index) => outcomes[index] === 'changed');
      expect(changed.toSorted()).toEqual(['a', 'b', 'c']);
      const jobs = await fixture.store.jobs({ states: ['queued'], limit: 10 });
      expect(new Set(jobs.map(({ id }) => id[0]))).toEqual(new Set(['a', 'b', 'c']));
      expect(jobs).toHaveLength(3);
    },
  },
  {
    rule: 'an installation that many callers read at once is returned to each',
    proves: async (fixture) => {
      for (const id of ['7', '8', '9']) await fixture.account(id);
      const ids = ['9', '7', 'unknown', '8', '7', '7', '9', 'unknown', '8'];
      const seen = await Promise.all(ids.map(async (id) => fixture.store.installation(id)));
      expect(seen.map((installation) => installation?.id ?? 'unknown')).toEqual(ids);
    },
  },
];
