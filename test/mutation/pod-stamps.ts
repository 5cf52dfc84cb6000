/** Mutants of Pod stamps: which Pod a stamp is for, who may remove it, and that a Pod is served once. */
import type { Mutant } from './mutant.ts';

/** What is said on a Pod that was served stands before all that the store says of it. */
const servedMark = { at: 'served-pod-gets-nothing', edit: 'delete' } as const;

export const podStamps: readonly Mutant[] = [
  {
    id: 'a Pod that was served is told to end',
    edits: [
      servedMark,
      { at: 'only-nothing-is-nothing', edit: 'condition', code: "answer.kind !== 'claimed'" },
    ],
    story: 'dispatch-dies-after-the-promotion',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'a Pod that was served gets nothing more',
    edits: [
      servedMark,
      {
        at: 'pod-in-use-is-not-free',
        edit: 'value',
        code: 'request.pods.filter(({ uid }) => !tables.retired.has(uid))',
      },
    ],
    story: 'token-of-another-pod',
    noticed: { by: 'S10', message: 'two claims are on one Pod' },
  },
  {
    id: 'nothing is given to a Pod that is gone',
    edits: [
      {
        at: 'missing-pod-is-gone',
        edit: 'replace',
        code: "if (pod === undefined) return { kind: 'nothing' };",
      },
    ],
    story: 'token-of-another-pod',
    noticed: { by: 'expect', message: 'somebody is answered 401' },
  },
  {
    id: 'a stamp is for one Pod and not for its name',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ ...marks }' }],
    story: 'pod-name-reused',
    noticed: { by: 'S9', message: 'which never claimed it' },
  },
  {
    id: 'a stamp is taken off only by the claim that it is for',
    edits: [
      { at: 'other-stamp-is-precondition-lost', edit: 'return', code: "'stamped'" },
      { at: 'read-stamp-after-conflict', edit: 'condition', code: 'pod?.metadata.uid === uid' },
      // A poll that ends in time is undone before its Pod asks again.
      { at: 'registration-deadline', edit: 'replace', code: '() => undefined' },
      { at: 'registration-abort', edit: 'delete' },
      { at: 'late-account-is-skipped', edit: 'delete' },
    ],
    story: 'undone-too-late',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'a stamp is not written over one that came later',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ uid, ...marks }' }],
    story: 'stamped-too-late',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'an old stamp is taken off only where the store was asked about the Pod',
    edits: [
      servedMark,
      { at: 'store-not-asked-keeps-stamp', edit: 'value', code: "answer.kind === 'nothing'" },
    ],
    story: 'stamped-too-late',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'a Pod with a stamp that nobody knows of gets nothing',
    edits: [
      servedMark,
      { at: 'unexplained-stamp-refuses', edit: 'value', code: 'this.#drainReason(pod, poll.pool)' },
    ],
    story: 'older-database-and-a-greedy-job',
    noticed: { by: 'expect', message: 'somebody is answered 410' },
  },
  {
    id: 'a Pod that was served gets nothing, whatever the store says',
    edits: [servedMark],
    story: 'older-database-after-the-claim',
    noticed: { by: 'expect', message: 'somebody is answered 410' },
  },
  {
    id: 'nothing is given to a Pod that is going',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ uid, ...marks }' }],
    story: 'pod-leaving-while-it-polls',
    noticed: { by: 'never', message: 'registers a runner for pod-1' },
  },
];
