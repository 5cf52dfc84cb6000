/** A fault of a kind, with its particulars by chance. */
import type { Random } from '../runtime/random.ts';
import { errorReasons, type EffectFault, type EffectFaultKind } from './effect-fault.ts';
import { logBetween, oneOf, wholeBetween } from './random-streams.ts';

const draws: { readonly [Kind in EffectFaultKind]: (random: Random) => Extract<EffectFault, { kind: Kind }> } = {
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
