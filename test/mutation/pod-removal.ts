/** Mutants of Pod removal: no runner Pod is removed while it works or is about to work. */
import { exchangeJobs } from './backing-rules.ts';
import type { Mutant, Edit } from './mutant.ts';

/** The answers of GitHub, and its refusals. */
const words: readonly Edit[] = [
  { at: 'busy-registration-keeps-pod', edit: 'delete' },
  { at: 'deregister-before-delete', edit: 'delete' },
];

export const podRemoval: readonly Mutant[] = [
  {
    id: 'the end of a job ends the claim of its runner',
    edits: [
      {
        at: 'claim-of-executing-runner-ends',
        edit: 'replace',
        code: `for (const claim of tables.claims.values())
    if (claim.jobId === known.id)
      tables.claims.delete(claim.generation);`,
      },
      exchangeJobs,
      // Without this edit the second Pod is not served at all.
      {
        at: 'executed-claim-is-finished',
        edit: 'condition',
        code: "job === undefined || job.state === 'completed'",
      },
      { at: 'stamped-pod-follows-executed-job', edit: 'value', code: 'jobs.get(session.jobId)' },
      {
        at: 'look-up-executed-job',
        edit: 'value',
        code: `sessions
      .filter(({ pod }) => uids.has(pod.uid))
      .map(({ jobId }) => jobId)`,
      },
      { at: 'busy-runner-keeps-pod', edit: 'delete' },
    ],
    story: 'runner-takes-another-job',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'a Pod with a claim or a session is not blocked',
    edits: [{ at: 'store-refuses-to-block-pod', edit: 'delete' }, ...words],
    story: 'lagging-database',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'an empty database is not believed',
    edits: [{ at: 'suspicious-empty-database', edit: 'return', code: 'false' }],
    story: 'nothing-shown',
    noticed: { by: 'never', message: 'recovery: orphaned_stamped_pod' },
  },
  {
    id: 'GitHub and the store are both checked before a Pod is removed',
    edits: [
      { at: 'suspicious-empty-database', edit: 'return', code: 'false' },
      { at: 'store-refuses-to-block-pod', edit: 'delete' },
      ...words,
    ],
    story: 'nothing-shown',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'GitHub is checked before a Pod without a claim is removed',
    edits: words,
    story: 'older-database',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'a Pod whose job was given back is removed before that job ends',
    edits: [{ at: 'returned-job-frees-pod', edit: 'replace', code: 'return undefined;' }],
    story: 'runners-that-hang',
    noticed: { by: 'expect', message: 'Pod pod-1 is gone' },
  },
  {
    id: 'a Pod that cannot be stamped gets no job',
    edits: [{ at: 'pod-without-stamp-gets-nothing', edit: 'delete' }],
    story: 'pod-deleted-under-a-claim',
    noticed: { by: 'never', message: 'registers a runner for pod-1' },
  },
  {
    id: 'a Pod that was just stamped is not surplus',
    edits: [
      { at: 'busy-pod-is-not-removed', edit: 'condition', code: '!isAlive(pod)' },
      {
        at: 'delete-precondition',
        edit: 'replace',
        code: 'await client.delete(resource, placeOf({ metadata }), { uid });',
      },
    ],
    story: 'scale-down-racing-a-claim',
    noticed: { by: 'never', message: 'Pod pod-1 is leaving' },
  },
  {
    id: 'a roll replaces idle Pods only',
    edits: [
      { at: 'roll-only-idle-pods', edit: 'value', code: 'stale.filter((pod) => !isDrainEligible(pod))' },
      { at: 'busy-pod-is-not-removed', edit: 'condition', code: '!isAlive(pod)' },
    ],
    story: 'image-roll',
    noticed: { by: 'never', message: 'Pod pod-2 is leaving' },
  },
];
