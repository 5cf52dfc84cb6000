/**
 * Plans that are not left to chance. Crash points: each write of a run, with a death before it, a death after it, its
 * reply lost, and its request late. Stale views: each read from a server that lags behind, and each watch with each way
 * it can mislead.
 */
import type { Effect } from './call.ts';
import type { EffectFault } from './effect-fault.ts';
import type { EffectEntry } from './fault-plan.ts';

const restartMs = 5000;
const lateMs = 30_000;

const crashPoints: readonly EffectFault[] = [
  { kind: 'crash-before', restartMs },
  { kind: 'crash-after', restartMs },
  { kind: 'reply-lost', silent: false },
  { kind: 'late', ms: lateMs },
];

const staleReads: readonly EffectFault[] = [1, 5, 25].map((byRevisions) => ({
  kind: 'stale-read',
  byRevisions,
}));

const misleadingWatches: readonly EffectFault[] = [
  { kind: 'watch-drop', afterMs: 60_000 },
  { kind: 'watch-expire', afterMs: 60_000 },
  { kind: 'watch-stall', afterMs: 1000, forMs: 600_000 },
  { kind: 'watch-duplicate', event: 1 },
  { kind: 'watch-lag', ms: 30_000 },
  { kind: 'time-travel', afterMs: 60_000, byRevisions: 5 },
];

export function crashPointsOf(effects: readonly Effect[]): readonly EffectEntry[] {
  return effects
    .filter(({ isWrite }) => isWrite)
    .flatMap(({ id }) => crashPoints.map((fault) => ({ on: id, fault })));
}

export function staleViewsOf(effects: readonly Effect[]): readonly EffectEntry[] {
  return effects.flatMap(({ id, kinds }) =>
    [...staleReads, ...misleadingWatches]
      .filter((fault) => kinds.some((kind) => kind === fault.kind))
      .map((fault) => ({ on: id, fault })),
  );
}
