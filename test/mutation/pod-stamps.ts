/** Mutants of Pod stamps: which Pod a stamp is for, who may remove it, and that a Pod is served once. */
import type { Mutant } from './mutant.ts';

/** The mark of a served Pod takes precedence over the content of the store. */
const servedMark = { at: 'served-pod-gets-nothing', edit: 'delete' } as const;

export const podStamps: readonly Mutant[] = [
  {
    id: 'a served Pod is asked to end',
    edits: [
      servedMark,
      { at: 'only-nothing-is-nothing', edit: 'condition', code: "answer.kind !== 'claimed'" },
    ],
    story: 'dispatch-dies-after-the-promotion',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'a served Pod gets no other job',
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
    id: 'a Pod that is gone gets no job',
    edits: [
      {
        at: 'missing-pod-is-gone',
        edit: 'replace',
        code: "if (pod === undefined) return { kind: 'nothing' };",
      },
    ],
    story: 'token-of-another-pod',
    noticed: { by: 'expect', message: 'stranger is answered 401' },
  },
  {
    id: 'a stamp is for one Pod and not for its name',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ ...marks }' }],
    story: 'pod-name-reused',
    noticed: { by: 'S9', message: 'which never claimed it' },
  },
  {
    id: 'a stamp is removed only by its own claim',
    edits: [
      { at: 'other-stamp-is-precondition-lost', edit: 'return', code: "'stamped'" },
      { at: 'read-stamp-after-conflict', edit: 'condition', code: 'pod?.metadata.uid === uid' },
      // A poll that ends in time is undone before its Pod polls again.
      { at: 'registration-deadline', edit: 'replace', code: '() => undefined' },
      { at: 'registration-abort', edit: 'delete' },
      { at: 'late-account-is-skipped', edit: 'delete' },
    ],
    story: 'undone-too-late',
    noticed: { by: 'S12', message: 'is deleted while it executes' },
  },
  {
    id: 'a stamp does not overwrite a later stamp',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ uid, ...marks }' }],
    story: 'stamped-too-late',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'an old stamp is removed only after a check of the store',
    edits: [
      servedMark,
      { at: 'store-not-asked-keeps-stamp', edit: 'value', code: "answer.kind === 'nothing'" },
    ],
    story: 'stamped-too-late',
    noticed: { by: 'S12', message: 'loses its stamp while it has a job' },
  },
  {
    id: 'a Pod with an unexplained stamp gets no job',
    edits: [
      servedMark,
      { at: 'unexplained-stamp-refuses', edit: 'value', code: 'this.#drainReason(pod, poll.pool)' },
    ],
    story: 'older-database-and-a-greedy-job',
    noticed: { by: 'expect', message: 'stranger is answered 410' },
  },
  {
    id: 'a served Pod gets no job, whatever the store says',
    edits: [servedMark],
    story: 'older-database-after-the-claim',
    noticed: { by: 'expect', message: 'stranger is answered 410' },
  },
  {
    id: 'a Pod that is being deleted gets no job',
    edits: [{ at: 'stamp-precondition', edit: 'value', code: '{ uid, ...marks }' }],
    story: 'pod-leaving-while-it-polls',
    noticed: { by: 'never', message: 'registers a runner for pod-1' },
  },
];
