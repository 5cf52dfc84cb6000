/** Draws the parameters of a fault of a given kind. */
import type { Random } from '../../../src/platform/random.ts';
import { errorReasons, type EffectFault, type EffectFaultKind } from './effect-fault.ts';
import type { Targets, TimedFault, TimedFaultKind } from './timed-fault.ts';
import { logBetween, oneOf, wholeBetween } from '../engine/random-streams.ts';

const draws: {
  readonly [Kind in EffectFaultKind]: (random: Random) => Extract<EffectFault, { kind: Kind }>;
} = {
  refused: () => ({ kind: 'refused' }),
  'reply-lost': (random) => ({ kind: 'reply-lost', silent: random.next() < 0.5 }),
  late: (random) => ({ kind: 'late', ms: logBetween(random, 100, 120_000) }),
  'slow-reply': (random) => ({ kind: 'slow-reply', ms: logBetween(random, 100, 120_000) }),
  duplicate: (random) => ({ kind: 'duplicate', ms: logBetween(random, 1, 60_000) }),
  'crash-before': (random) => ({ kind: 'crash-before', restartMs: logBetween(random, 100, 60_000) }),
  'crash-after': (random) => ({ kind: 'crash-after', restartMs: logBetween(random, 100, 60_000) }),
  error: (random) => ({ kind: 'error', reason: oneOf(random, errorReasons) }),
  'stale-read': (random) => ({ kind: 'stale-read', byRevisions: logBetween(random, 1, 50) }),
  'watch-drop': (random) => ({ kind: 'watch-drop', afterMs: logBetween(random, 1, 1_800_000) }),
  'watch-expire': (random) => ({ kind: 'watch-expire', afterMs: logBetween(random, 1, 1_800_000) }),
  'watch-stall': (random) => ({
    kind: 'watch-stall',
    afterMs: logBetween(random, 1, 1_800_000),
    forMs: logBetween(random, 1000, 1_800_000),
  }),
  'watch-duplicate': (random) => ({ kind: 'watch-duplicate', event: wholeBetween(random, 1, 10) }),
  'watch-lag': (random) => ({ kind: 'watch-lag', ms: logBetween(random, 100, 120_000) }),
  'time-travel': (random) => ({
    kind: 'time-travel',
    afterMs: logBetween(random, 1, 1_800_000),
    byRevisions: logBetween(random, 1, 50),
  }),
};

export function drawEffectFault(kind: EffectFaultKind, random: Random): EffectFault {
  return draws[kind](random);
}

const timedDraws: {
  readonly [Kind in TimedFaultKind]: (
    targets: Targets,
    random: Random,
  ) => Extract<TimedFault, { kind: Kind }>;
} = {
  crash: ({ processes }, random) => ({
    kind: 'crash',
    process: oneOf(random, processes),
    restartMs: logBetween(random, 100, 300_000),
  }),
  pause: ({ processes }, random) => ({
    kind: 'pause',
    process: oneOf(random, processes),
    forMs: logBetween(random, 100, 600_000),
  }),
  stop: ({ processes }, random) => ({
    kind: 'stop',
    process: oneOf(random, processes),
    graceMs: logBetween(random, 10, 30_000),
    restartMs: logBetween(random, 100, 60_000),
  }),
  upgrade: ({ upgradable }, random) => ({
    kind: 'upgrade',
    process: oneOf(random, upgradable),
    graceMs: logBetween(random, 10, 30_000),
  }),
  'clock-jump': ({ processes }, random) => ({
    kind: 'clock-jump',
    process: oneOf(random, processes),
    ms: wholeBetween(random, -300_000, 300_000),
  }),
  clog: ({ links }, random) => {
    const [process, link] = oneOf(random, links);
    return {
      kind: 'clog',
      process,
      link,
      forMs: logBetween(random, 100, 600_000),
      keeps: random.next() < 0.5,
    };
  },
  outage: ({ services }, random) => ({
    kind: 'outage',
    service: oneOf(random, services),
    forMs: logBetween(random, 1000, 1_800_000),
  }),
  'write-outage': ({ services }, random) => ({
    kind: 'write-outage',
    service: oneOf(random, services),
    forMs: logBetween(random, 1000, 1_800_000),
  }),
  'schema-change': ({ schemaChanges }, random) => oneOf(random, schemaChanges),
  act: ({ acts }, random) => ({ kind: 'act', name: oneOf(random, acts) }),
};

/** Requires at least one target for the kind. */
export function drawTimedFault(kind: TimedFaultKind, targets: Targets, random: Random): TimedFault {
  return timedDraws[kind](targets, random);
}
