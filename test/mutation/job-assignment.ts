/** Mutants of job assignment: leftovers of a crash or a failure, and the Pod of a claim. */
import { exchangeJobs } from './backing-rules.ts';
import type { Mutant } from './mutant.ts';

export const jobAssignment: readonly Mutant[] = [
  {
    id: 'dispatch finishes running assignments before it ends',
    edits: [{ at: 'stop-waits-for-polls', edit: 'delete' }],
    story: 'deploy-mid-dispatch',
    noticed: { by: 'expect', message: '18 jobs of a are at work' },
  },
  {
    id: 'a stamp is removed with its claim',
    edits: [
      { at: 'undo-removes-stamp', edit: 'delete' },
      { at: 'clear-leftover-stamp', edit: 'delete' },
    ],
    story: 'registration-fails',
    noticed: { by: 'expect', message: 'Pod pod-1 is free' },
  },
  {
    id: 'a Pod that polls again releases its unanswered claim',
    edits: [{ at: 'new-poll-returns-unanswered-claims', edit: 'delete' }],
    story: 'dispatch-dies-after-the-claim',
    noticed: { by: 'expect', message: 'Pod pod-1 is stamped' },
  },
  {
    id: 'a stamp without a claim is removed',
    edits: [{ at: 'clear-leftover-stamp', edit: 'delete' }],
    story: 'dispatch-dies-after-the-stamp',
    noticed: { by: 'expect', message: 'Pod pod-1 is free' },
  },
  {
    id: 'an unused registration is removed',
    edits: [{ at: 'stale-registrations-worker', edit: 'delete' }],
    story: 'dispatch-dies-after-the-registration',
    noticed: { by: 'expect', message: 'GitHub has 1 runner' },
  },
  {
    id: 'the job of an ended Pod is looked up at GitHub',
    edits: [
      {
        at: 'ended-pod-reconciles-jobs',
        edit: 'replace',
        code: `for (const pod of await this.#podsIn(report))
      await store.podStopped({ pod, at: report.endedAt, ending: report.ending });`,
      },
      { at: 'claims-of-stopped-pods', edit: 'delete' },
    ],
    story: 'answer-lost',
    noticed: { by: 'expect', message: 'job a is at work' },
  },
  {
    id: 'a job that is completed before it was queued is stored',
    edits: [
      { at: 'unknown-job-is-stored-completed', edit: 'value', code: 'tables.jobs.get(draft.id)' },
      {
        at: 'completed-job-is-not-stored-again',
        edit: 'condition',
        code: "known === undefined || known.state === 'completed'",
      },
    ],
    story: 'completed-before-queued',
    noticed: { by: 'expect', message: 'job a is completed' },
  },
  {
    id: 'a finished job is not queued again',
    edits: [{ at: 'completed-job-stays-completed', edit: 'value', code: "'queued'" }],
    story: 'completed-before-queued',
    noticed: { by: 'S18', message: 'was over and is queued' },
  },
  {
    id: 'a webhook is processed once',
    edits: [
      { at: 'delivery-once', edit: 'delete' },
      { at: 'completed-job-stays-completed', edit: 'value', code: "'queued'" },
      { at: 'queued-once', edit: 'delete' },
    ],
    story: 'late-queued',
    noticed: { by: 'S18', message: 'was over and is queued' },
  },
  {
    id: 'no account gets more than its limit',
    edits: [{ at: 'account-limit', edit: 'return', code: 'head !== undefined' }],
    story: 'account-at-its-limit',
    noticed: { by: 'S13', message: 'more than its limit' },
  },
  {
    id: 'an account at its limit delays no other account',
    edits: [
      {
        at: 'full-account-does-not-block',
        edit: 'value',
        code: 'lines.every((line) => line.hasCapacity()) ? lines.toSorted((a, b) => a.compare(b, at))[0] : undefined',
      },
    ],
    story: 'account-at-its-limit',
    noticed: { by: 'expect', message: 'job b is at work' },
  },
  {
    id: 'a failed job is on cooldown, and other jobs go first',
    edits: [
      {
        at: 'cooldowns-exclude-jobs',
        edit: 'replace',
        code: 'this.#parkedPolls = new ParkedPolls({ store, clock, newGeneration, except: () => ({ jobs: new Set(), repositories: new Set(), accounts: new Set() }) });',
      },
    ],
    story: 'app-without-permission',
    noticed: { by: 'expect', message: 'job b is at work' },
  },
  {
    id: 'no Pod is claimed for an account without the App',
    edits: [
      {
        at: 'no-app-no-reservation',
        edit: 'value',
        code: `[...tables.jobs.values()].filter(
    (job) =>
      job.pool === pool &&
      job.state === 'queued' &&
      job.queuedAt > queuedAfter &&
      !except.jobs.has(job.id) &&
      !except.repositories.has(job.repository) &&
      !except.accounts.has(job.accountId) ,
  )`,
      },
    ],
    story: 'app-uninstalled',
    noticed: { by: 'expect', message: 'happened 0 times' },
  },
  {
    id: 'a job whose runner took an unclaimed job waits again',
    edits: [exchangeJobs],
    story: 'runner-takes-an-unknown-job',
    noticed: { by: 'expect', message: 'job a is at work' },
  },
];
