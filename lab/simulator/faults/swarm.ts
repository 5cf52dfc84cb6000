/**
 * Random faults (swarm testing). The rate of each kind differs from seed to seed, and many kinds are left out: a run
 * with many faults of one kind finds other mistakes than a run with a few of every kind.
 */
import type { Random } from '../../../src/platform/random.ts';
import type { Effect } from '../engine/call.ts';
import { drawEffectFault, drawTimedFault } from './drawn-fault.ts';
import { legFaultKinds, serviceFaultKinds, type EffectFault, type EffectFaultKind } from './effect-fault.ts';
import type { FaultSource, TimedEntry } from './fault-plan.ts';
import { mixed } from '../engine/hash.ts';
import { logBetween, wholeBetween, type RandomStreams } from '../engine/random-streams.ts';
import type { Targets, TimedFault } from './timed-fault.ts';

export interface SwarmOptions {
  readonly streams: RandomStreams;
  readonly targets: Targets;
  readonly forMs: number;
  /** 1 is the default; less makes a gentler run. */
  readonly strength: number;
}

/** The highest probability that a kind hits an effect. */
const mostLikely: Readonly<Record<EffectFaultKind, number>> = {
  refused: 0.05,
  'reply-lost': 0.1,
  late: 0.05,
  'slow-reply': 0.1,
  duplicate: 0.05,
  'crash-before': 0.01,
  'crash-after': 0.01,
  error: 0.1,
  'stale-read': 0.2,
  'watch-drop': 0.3,
  'watch-expire': 0.3,
  'watch-stall': 0.2,
  'watch-duplicate': 0.2,
  'watch-lag': 0.3,
  'time-travel': 0.2,
};

/** The highest rate per hour, for each target. */
const mostOften = {
  crash: 2,
  pause: 2,
  stop: 1,
  upgrade: 0.5,
  'clock-jump': 0.5,
  clog: 2,
  swizzle: 0.3,
  outage: 0.2,
  'write-outage': 0.3,
  'schema-change': 0.2,
  act: 1,
} as const;
type TimedKind = keyof typeof mostOften;

const leftOut = 0.4;
const hourMs = 3_600_000;
const chosenBy = 11;
const shapedBy = 12;

export function swarmFaults(options: SwarmOptions): FaultSource {
  const { streams, strength } = options;
  const random = streams.stream('swarm');
  const likely = new Map(
    [...legFaultKinds, ...serviceFaultKinds].map((kind) => [
      kind,
      drawRate(random, mostLikely[kind]) * strength,
    ]),
  );
  const timed = timedKinds.flatMap((kind) => arrivalsOf(kind, options));
  return {
    timed: timed.toSorted((a, b) => a.atMs - b.atMs),
    kinds: [
      ...legFaultKinds,
      ...serviceFaultKinds,
      ...timedKinds.filter((kind) => kind !== 'swizzle' && hasTarget(kind, options.targets)),
    ],
    decide: (effect) => {
      const kind = chosenKind(effect, likely, streams.draw(effect.key, chosenBy));
      if (kind === undefined) return [];
      return [drawEffectFault(kind, streams.keyed(mixed(effect.key, shapedBy)))];
    },
  };
}

const timedKinds: readonly TimedKind[] = [
  'crash',
  'pause',
  'stop',
  'upgrade',
  'clock-jump',
  'clog',
  'swizzle',
  'outage',
  'write-outage',
  'schema-change',
  'act',
];

/** Often zero; otherwise between a hundredth of the highest rate and the highest rate. */
function drawRate(random: Random, most: number): number {
  const isOut = random.next() < leftOut;
  const rate = most * 10 ** (-2 * random.next());
  return isOut ? 0 : rate;
}

/** At most one kind per effect. */
function chosenKind(
  { kinds }: Effect,
  likely: ReadonlyMap<EffectFault['kind'], number>,
  drawn: number,
): EffectFaultKind | undefined {
  let left = drawn;
  for (const kind of [...legFaultKinds, ...kinds]) {
    left -= likely.get(kind) ?? 0;
    if (left < 0) return kind;
  }
  return undefined;
}

function arrivalsOf(kind: TimedKind, { streams, targets, forMs, strength }: SwarmOptions): TimedEntry[] {
  const random = streams.stream(`swarm ${kind}`);
  const perHour = drawRate(random, mostOften[kind]) * strength;
  const entries: TimedEntry[] = [];
  if (perHour === 0) return entries;
  for (let at = gapMs(random, perHour); at < forMs; at += gapMs(random, perHour)) {
    const atMs = Math.floor(at);
    entries.push(
      ...events(kind, targets, random).map(({ moreMs, fault }) => ({ atMs: atMs + moreMs, fault })),
    );
  }
  return entries.filter(({ atMs }) => atMs < forMs);
}

function gapMs(random: Random, perHour: number): number {
  return (-Math.log(1 - random.next()) / perHour) * hourMs;
}

interface EventDraft {
  readonly moreMs: number;
  readonly fault: TimedFault;
}

function events(kind: TimedKind, targets: Targets, random: Random): readonly EventDraft[] {
  if (kind === 'swizzle') return swizzle(targets, random);
  const fault = hasTarget(kind, targets) ? drawTimedFault(kind, targets, random) : undefined;
  return fault === undefined ? [] : [{ moreMs: 0, fault }];
}

function hasTarget(kind: TimedKind, targets: Targets): boolean {
  const lists: Partial<Record<TimedKind, readonly unknown[]>> = {
    upgrade: targets.upgradable,
    clog: targets.links,
    outage: targets.services,
    'write-outage': targets.services,
    'schema-change': targets.schemaChanges,
    act: targets.acts,
  };
  return (lists[kind] ?? targets.processes).length > 0;
}

/** Some links stop one after another and heal in another order: this reorders more than a single clog can. */
function swizzle({ links }: Targets, random: Random): readonly EventDraft[] {
  return links
    .filter(() => random.next() < 0.5)
    .map(([process, link]) => ({
      moreMs: wholeBetween(random, 0, 30_000),
      fault: {
        kind: 'clog',
        process,
        link,
        forMs: logBetween(random, 1000, 300_000),
        keeps: random.next() < 0.5,
      },
    }));
}
