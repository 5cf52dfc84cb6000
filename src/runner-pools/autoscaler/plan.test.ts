/** The desired replicas of a pool, and what keeps them unchanged. */
import { describe, expect, it } from 'vitest';
import { node, now, pool } from '../../../lab/harness/pool-samples.ts';
import type { RunnerPoolObject } from '../state/runner-pool-objects.ts';
import type { Node } from '../../kube/client/builtin-resources.ts';
import { zoneClock } from '../../platform/zone-clock.ts';
import { decide, plan, type Observed } from './plan.ts';
import { bytesOf } from './quantity.ts';
import type { Signals } from './target.ts';

const quiet: Signals = { claimed: 0, occupied: 0, queued: 0, withheld: 0, p95: 0 };
const autoscaling = { enabled: true, minWarmPoolFloor: 1, maxReplicas: 30, scaleDownCooldownSeconds: 300 };
const gib = 1024 ** 3;

function scaled(more: object = {}, spec: object = {}): RunnerPoolObject {
  return pool({ autoscaling: { ...autoscaling, ...more }, podMemoryMB: 8192, ...spec });
}

function withMemory(name: string, memory: string, spec: object = {}): Node {
  const plain = node(name, spec);
  return { ...plain, status: { ...plain.status, allocatable: { memory } } };
}

function observing(more: Partial<Observed>): Observed {
  return {
    now,
    pool: scaled(),
    signals: quiet,
    siblings: [],
    nodes: [withMemory('a', '1000Gi')],
    overheads: new Map([['kata-qemu', 0]]),
    clock: zoneClock(now),
    ...more,
  };
}

const lowered = (seconds: number, of: RunnerPoolObject): RunnerPoolObject => ({
  ...of,
  status: { lastScaleDownAt: new Date(now - seconds * 1000).toISOString() },
});

describe('a pool', () => {
  it.for<readonly [string, Partial<Observed>, string, number | undefined]>([
    ['that is not autoscaled', { pool: pool() }, 'NotAutoscaled', undefined],
    ['without a maximum', { pool: scaled({ maxReplicas: 0 }) }, 'NotAutoscaled', undefined],
    ['without signals', { signals: undefined }, 'SignalsUnavailable', undefined],
    ['with a queue', { signals: { ...quiet, queued: 4 } }, 'ScaledUp', 5],
    ['with what it needs', { pool: scaled({}, { replicas: 1 }) }, 'AtTarget', undefined],
    ['with too many', { pool: scaled({}, { replicas: 5 }) }, 'ScaledDown', 1],
    [
      'that was lowered just now',
      { pool: lowered(299, scaled({}, { replicas: 5 })) },
      'CoolingDown',
      undefined,
    ],
    ['after its cooldown', { pool: lowered(300, scaled({}, { replicas: 5 })) }, 'ScaledDown', 1],
    [
      'without a cooldown',
      { pool: lowered(0, scaled({ scaleDownCooldownSeconds: -1 }, { replicas: 5 })) },
      'ScaledDown',
      1,
    ],
    [
      'that was lowered just now and needs more',
      { pool: lowered(1, scaled()), signals: { ...quiet, queued: 9 } },
      'ScaledUp',
      10,
    ],
    [
      'whose runtime class is unknown',
      { overheads: new Map(), signals: { ...quiet, queued: 9 } },
      'RuntimeClassUnknown',
      undefined,
    ],
  ])('%s', ([, more, reason, replicas]) => {
    const decision = decide(observing(more));
    expect([decision.reason, decision.action?.replicas]).toEqual([reason, replicas]);
  });

  it('in a window keeps as many warm Pods as the window says', () => {
    const windows = [{ from: '11:00', to: '13:00', timeZone: 'UTC', minWarmPoolFloor: 7 }];
    expect(decide(observing({ pool: scaled({ windows }) })).action?.replicas).toBe(7);
  });

  it('is reconciled every five seconds if autoscaled', () => {
    expect(plan(observing({})).requeueAt).toBe(now + 5000);
    expect(plan(observing({ pool: pool() })).requeueAt).toBeUndefined();
  });
});

describe('capacity', () => {
  const asked = { signals: { ...quiet, p95: 29 } };
  const replicas = (more: Partial<Observed>) => decide(observing({ ...asked, ...more })).sums?.allocated;

  it('is nine tenths of the memory of healthy Nodes, divided by the cost of a Pod', () => {
    const nodes = [withMemory('a', '100Gi'), withMemory('b', '100Gi', { unschedulable: true })];
    expect(replicas({ nodes })).toBe(11);
    expect(replicas({ nodes, overheads: new Map([['kata-qemu', 2 * gib]]) })).toBe(9);
  });

  it('is ignored if zero or unknown: the pool gets its own need', () => {
    expect(replicas({ nodes: [] })).toBe(30);
    expect(replicas({ nodes: undefined })).toBe(30);
  });

  const sibling = { ...scaled(), metadata: { ...scaled().metadata, name: 'other', uid: 'other' } };
  const nodes = [withMemory('a', '160Gi')];

  it('is shared with what siblings need', () => {
    expect(replicas({ nodes })).toBe(18);
    const busy = { ...quiet, claimed: 10, occupied: 10 };
    expect(replicas({ nodes, siblings: [{ pool: sibling, signals: busy }] })).toBe(7);
  });

  it('is not shared while a sibling is unknown', () => {
    expect(replicas({ nodes, siblings: [{ pool: sibling, signals: undefined }] })).toBe(30);
  });

  it('on Macs is one Pod per host', () => {
    const mac = (name: string): Node => ({
      ...node(name),
      metadata: {
        ...node(name).metadata,
        labels: { 'kubernetes.io/os': 'darwin', 'tuist.dev/fleet': 'macs' },
      },
    });
    const macs = scaled({}, { os: 'darwin', runtimeClass: undefined, fleetSelector: 'macs' });
    expect(replicas({ pool: macs, nodes: [mac('a'), mac('b'), mac('c')] })).toBe(3);
  });
});

it.for([
  ['1024', 1024],
  ['16Gi', 16 * gib],
  ['1.5Gi', 1.5 * gib],
  ['2560Mi', 2560 * 1024 ** 2],
  ['1e3', 1000],
  ['500M', 5e8],
  ['', undefined],
  ['12 Gi', undefined],
  ['12Q', undefined],
] as const)('%s is %s bytes', ([text, bytes]) => {
  expect(bytesOf(text)).toBe(bytes);
});
