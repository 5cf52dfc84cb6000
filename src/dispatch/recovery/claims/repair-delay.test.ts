import { expect, it } from 'vitest';
import type { Evidence } from '../../store/rows.ts';
import { strandedMs } from './repair-delay.ts';
import type { RecoveryKind } from '../scheduler/worker.ts';

it.for<readonly [string, RecoveryKind, Evidence, number | undefined]>([
  [
    'since it was made, of a claim that was never promoted',
    'stale_claim',
    { claimedForMs: 300_001 },
    300_001,
  ],
  ['since its job was over, of a claim', 'completed_claim', { claimedForMs: 9, overForMs: 7 }, 7],
  [
    'since its job was over, of a Pod with a stamp',
    'orphaned_stamped_pod',
    { stampedForMs: 9, finishedForMs: 4 },
    4,
  ],
  ['since its stamp, of a Pod that never had a job', 'orphaned_stamped_pod', { stampedForMs: 9 }, 9],
  ['since its end, of a job that waited for long', 'queued_completed', { queuedForMs: 9, overForMs: 2 }, 2],
  ['since it waits, of a job that GitHub does not know', 'queued_completed', { queuedForMs: 9 }, 9],
  ['nothing, where a clock went back', 'redelivered', { failedForMs: -20 }, 0],
  ['unknown, where the evidence does not say', 'orphan_completed', { reason: 'aged_out' }, undefined],
  ['unknown, for a kind without such evidence', 'ghost_runner', { queuedForMs: 4 }, undefined],
])('something was wrong %s', ([, kind, evidence, ms]) => {
  expect(strandedMs(kind, evidence)).toBe(ms);
});
