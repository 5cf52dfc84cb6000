/**
 * Systematic plans. Crash points: for each write of a run, a crash before it, a crash after it, its reply lost, and its
 * request late. Stale views: each read from a server that lags behind; each watch with each misleading fault; after
 * each write a crash of the process, while its successor has not yet seen the write.
 */
import type { Effect } from '../engine/call.ts';
import type { EffectFault } from './effect-fault.ts';
import type { PlanEntry } from './fault-plan.ts';

export interface SentEffect {
  readonly effect: Effect;
  /** Since the start of the run. */
  readonly atMs: number;
}

type Plan = readonly PlanEntry[];

const restartMs = 5000;
const lateMs = 30_000;
/** Long enough that the cause of a write is unseen too. */
const blindBeforeMs = 60_000;
const blindForMs = 20 * 60_000;

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

export function crashPointsOf(sent: readonly SentEffect[]): readonly Plan[] {
  return sent
    .filter(({ effect }) => effect.isWrite)
    .flatMap(({ effect }) => crashPoints.map((fault) => [{ on: effect.id, fault }]));
}

export function staleViewsOf(sent: readonly SentEffect[]): readonly Plan[] {
  const processes = [...new Set(sent.map(({ effect }) => effect.process))];
  return [
    ...sent.flatMap(({ effect }) => misleadingOf(effect)),
    ...sent.flatMap((one) => (one.effect.isWrite ? blindTakeovers(one, processes) : [])),
  ];
}

function misleadingOf({ id, kinds }: Effect): readonly Plan[] {
  return [...staleReads, ...misleadingWatches]
    .filter((fault) => kinds.some((kind) => kind === fault.kind))
    .map((fault) => [{ on: id, fault }]);
}

function blindTakeovers({ effect, atMs }: SentEffect, processes: readonly string[]): readonly Plan[] {
  return processes
    .filter((process) => process !== effect.process)
    .map((process) => [
      {
        atMs: Math.max(0, Math.floor(atMs) - blindBeforeMs),
        fault: { kind: 'clog', process, link: 'kube-watch', forMs: blindForMs, keeps: true },
      },
      { on: effect.id, fault: { kind: 'crash-after', restartMs: blindForMs } },
    ]);
}
