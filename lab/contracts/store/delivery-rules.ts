/** Deliveries arrive twice, late and in any order. */
import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { Effect } from '../../../src/dispatch/store/port.ts';
import type { JobDraft } from '../../../src/dispatch/store/rows.ts';
import type { Rule } from './rules.ts';
import { draft, endedBy, heard, noon, type Fixture } from './harness.ts';

const kinds = ['wait', 'enqueue', 'start', 'complete'] as const;
type Kind = (typeof kinds)[number];

/** The time of the queued webhook: days after the creation of the job, as with a job that needs an approval. */
const approvedAt = noon + 8 * 86_400_000;

/** The runner is named after the job, so that two jobs never share one runner. */
function runnerOf({ id }: JobDraft): string {
  return `runner of ${id}`;
}

function reported(kind: Kind, job: JobDraft, later = 0): Effect {
  if (kind === 'start') return { kind, job, runnerName: runnerOf(job), at: noon + 1000 };
  if (kind === 'enqueue') return { kind, job, at: approvedAt + later };
  return kind === 'complete' ? { kind, job, end: endedBy(runnerOf(job)) } : { kind, job };
}

/** Some deliveries of a job, and the same again in another order and with repeats. */
const shuffled = fc
  .subarray([...kinds], { minLength: 1 })
  .chain((inOrder) =>
    fc
      .tuple(fc.constant(inOrder), fc.array(fc.constantFrom(...inOrder), { maxLength: 4 }))
      .chain(([once, repeats]) =>
        fc.tuple(
          fc.constant(once),
          fc.shuffledSubarray([...once, ...repeats], { minLength: once.length + repeats.length }),
        ),
      ),
  );

/** Repeats arrive later than first deliveries. Each delivery has another repository name, as after many renames. */
async function reportAll(fixture: Fixture, said: readonly Kind[], job: JobDraft): Promise<void> {
  for (const [index, kind] of said.entries())
    await fixture.deliver(
      reported(kind, named(job, `${index}`), said.indexOf(kind) === index ? 0 : index * 1000),
    );
}

function named(job: JobDraft, name: string): JobDraft {
  return { ...job, repository: `org/${name}` };
}

/** A job that a Pod has claimed and, on request, is registered for. */
async function held(fixture: Fixture, id: string, isPromoted: boolean): Promise<JobDraft> {
  const job = draft(id);
  await fixture.queued(job);
  const { generation } = await fixture.claim(`pod of ${id}`);
  if (isPromoted) await fixture.promote({ generation }, runnerOf(job));
  return job;
}

/** Everything stored of the job, except the names of the job and its repository. */
async function endOf(fixture: Fixture, draftOfIt: JobDraft): Promise<unknown> {
  const { id } = draftOfIt;
  const job = await fixture.store.job(id);
  const claims = (await fixture.store.claims()).filter((claim) => claim.jobId === id);
  const sessions = (await fixture.store.openSessions()).filter((session) => session.jobId === id);
  return {
    ...job,
    id: '',
    repository: '',
    isGivenOut: job?.generation !== undefined,
    generation: '',
    isExecuted: job?.executor === runnerOf(draftOfIt),
    executor: '',
    claims: claims.map(({ state, executedJobId }) => ({ state, isExecuting: executedJobId === id })),
    sessions: sessions.map(({ executedJobId }) => executedJobId === id),
  };
}

export const deliveryRules: readonly Rule[] = [
  {
    rule: 'any order and repetition of the deliveries of a job ends like each delivery once and in order',
    proves: async (fixture) => {
      await fixture.account('7');
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(shuffled, async ([inOrder, anyhow]) => {
          const [one, other] = [draft(`in order ${(runs += 1)}`), draft(`anyhow ${runs}`)];
          await reportAll(fixture, inOrder, one);
          await reportAll(fixture, anyhow, other);
          expect(await endOf(fixture, other)).toEqual(await endOf(fixture, one));
        }),
        { numRuns: 60 },
      );
    },
  },
  {
    rule: 'the same holds for a job that a Pod got meanwhile, and for its claim and session',
    proves: async (fixture) => {
      await fixture.account('7', { vcpus: 4000, memoryGb: 8000 });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(shuffled, fc.boolean(), async ([inOrder, anyhow], isPromoted) => {
          runs += 1;
          const one = await held(fixture, `in order ${runs}`, isPromoted);
          const other = await held(fixture, `anyhow ${runs}`, isPromoted);
          await reportAll(fixture, inOrder, one);
          await reportAll(fixture, anyhow, other);
          expect(await endOf(fixture, other)).toEqual(await endOf(fixture, one));
        }),
        { numRuns: 40 },
      );
    },
  },
  {
    rule: 'a processed delivery is known, whatever the content of its second attempt',
    proves: async (fixture) => {
      await fixture.account('7');
      const job = draft('1');
      expect(await fixture.deliver({ kind: 'wait', job }, 'guid')).toBe('changed');
      expect(await fixture.deliver({ kind: 'enqueue', job }, 'guid')).toBe('known');
      expect(await fixture.stateOf(job)).toBe('waiting');
    },
  },
  {
    rule: 'a job that needs an approval is given to no Pod',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.deliver({ kind: 'wait', job: draft('1') });
      expect(heard(await fixture.ask(['a']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'pools with queued jobs are listed once each and in order; a job that needs an approval, has a Pod or is over adds none',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(draft('1'), draft('2'), draft('3', { pool: 'b' }), draft('4', { pool: 'a' }));
      await fixture.deliver({ kind: 'wait', job: draft('5', { pool: 'c' }) });
      expect(await fixture.store.queuedPools()).toEqual(['a', 'b', 'linux']);
      await fixture.claim('pod', { pool: 'a' });
      await fixture.deliver({ kind: 'complete', job: draft('3', { pool: 'b' }), end: endedBy(undefined) });
      expect(await fixture.store.queuedPools()).toEqual(['linux']);
      await fixture.stop('pod');
      expect(await fixture.store.queuedPools()).toEqual(['a', 'linux']);
    },
  },
  {
    rule: 'the wait of a job that was approved late begins with its queued webhook, and the job can be claimed',
    proves: async (fixture) => {
      await fixture.account('7');
      const job = draft('1');
      await fixture.deliver({ kind: 'wait', job });
      expect(await fixture.deliver({ kind: 'enqueue', job, at: approvedAt })).toBe('changed');
      expect(await fixture.store.job('1')).toMatchObject({ state: 'queued', queuedAt: approvedAt });
      const asked = { at: approvedAt + 1, queuedAfter: approvedAt - 7 * 86_400_000 };
      expect(heard(await fixture.ask(['a'], asked))).toEqual(['1']);
    },
  },
  {
    rule: 'no later webhook moves the start of the wait of a job',
    proves: async (fixture) => {
      await fixture.account('7');
      const job = draft('1');
      await fixture.deliver({ kind: 'enqueue', job, at: noon + 1 });
      expect(await fixture.deliver({ kind: 'wait', job })).toBe('unchanged');
      expect(await fixture.deliver({ kind: 'enqueue', job, at: approvedAt })).toBe('unchanged');
      expect(await fixture.store.job('1')).toMatchObject({ state: 'queued', queuedAt: noon + 1 });
    },
  },
  {
    rule: 'a job found at GitHub keeps its age, unless it needed an approval',
    proves: async (fixture) => {
      await fixture.account('7');
      const [late, blocked, approved] = [draft('late'), draft('blocked'), draft('approved')];
      await fixture.deliver({ kind: 'wait', job: approved });
      await fixture.store.apply({ kind: 'enqueue', job: late, at: noon + 900_000 });
      await fixture.store.apply({ kind: 'enqueue', job: blocked, at: approvedAt });
      await fixture.store.apply({ kind: 'enqueue', job: approved, at: noon + 900_000 });
      const since = async ({ id }: JobDraft) => (await fixture.store.job(id))?.queuedAt;
      expect(await since(late)).toBe(noon);
      expect(await since(blocked)).toBe(approvedAt);
      expect(await since(approved)).toBe(noon + 900_000);
    },
  },
  {
    rule: 'a finished job does not return when an earlier webhook arrives late',
    proves: async (fixture) => {
      await fixture.account('7');
      const job = draft('1');
      await fixture.deliver({ kind: 'complete', job, end: endedBy(undefined) });
      for (const kind of ['wait', 'enqueue', 'start'] as const)
        expect(await fixture.deliver(reported(kind, job)), kind).toBe('unchanged');
      expect(await fixture.stateOf(job)).toBe('completed');
      expect(heard(await fixture.ask(['a']))).toEqual(['nothing']);
    },
  },
  {
    rule: 'an unfinished job takes the repository name of the latest webhook, and nothing else of it changes',
    proves: async (fixture) => {
      await fixture.account('7');
      const job = draft('1');
      await fixture.deliver(reported('start', job));
      await fixture.deliver(reported('enqueue', job));
      const [before, events] = [await fixture.store.job('1'), fixture.reported.length];
      for (const kind of ['wait', 'enqueue', 'start'] as const) {
        expect(await fixture.deliver(reported(kind, named(job, kind)))).toBe('unchanged');
        expect(await fixture.store.job('1')).toEqual({ ...before, repository: `org/${kind}` });
      }
      expect(fixture.reported).toHaveLength(events);
    },
  },
  {
    rule: 'a waiting job is claimed under the new name of its repository',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(draft('1'), named(draft('1'), 'new'));
      const [answer] = await fixture.ask(['a']);
      expect(answer).toMatchObject({ kind: 'claimed', job: { id: '1', repository: 'org/new' } });
    },
  },
  {
    rule: 'a finished job keeps the repository name of its completed webhook',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(draft('1'));
      await fixture.deliver(reported('complete', named(draft('1'), 'last')));
      for (const kind of kinds) await fixture.deliver(reported(kind, named(draft('1'), kind)));
      expect(await fixture.store.job('1')).toMatchObject({ state: 'completed', repository: 'org/last' });
    },
  },
  {
    rule: 'a removed installation stays removed, whatever webhooks arrive late',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(draft('1'));
      await fixture.installed('7', 'removed');
      for (const state of ['active', 'suspended', 'active'] as const) {
        await fixture.installed('7', state);
        expect(await fixture.store.installation('7')).toMatchObject({ state: 'removed' });
      }
      expect(heard(await fixture.ask(['a']))).toEqual(['nothing']);
      await fixture.installed('7', 'active', '70');
      expect(heard(await fixture.ask(['a']))).toEqual(['1']);
    },
  },
  {
    rule: 'the end of a job ends the claim of the runner that did it, not the claim that was made for it',
    proves: async (fixture) => {
      await fixture.account('7');
      const [first, second] = [draft('1'), draft('2', { queuedAt: noon + 1 })];
      await fixture.queued(first, second);
      await fixture.serve('a', 'runner-a');
      await fixture.serve('b', 'runner-b');
      await fixture.deliver({ kind: 'complete', job: first, end: endedBy('runner-b') });
      expect(await fixture.claimedPods()).toEqual(['a']);
      expect(await fixture.stateOf(second)).toBe('running');
    },
  },
  {
    rule: 'the end of a job that no runner took ends no claim',
    proves: async (fixture) => {
      await fixture.account('7');
      await fixture.queued(draft('1'));
      await fixture.serve('a', 'runner-a');
      await fixture.deliver({ kind: 'complete', job: draft('1'), end: endedBy(undefined) });
      expect(await fixture.claimedPods()).toEqual(['a']);
    },
  },
];
