/** Decisions for a pool, as a table. */
import { describe, expect, it } from 'vitest';
import { annotations } from '../../api/names/annotations.ts';
import { labels } from '../../api/names/labels.ts';
import type { Observed } from './observed.ts';
import { plan } from './plan.ts';
import {
  isAbnormalEnd,
  isIdle,
  isProvisioning,
  isStaleImage,
  isStaleRevision,
  isWarm,
} from '../pods/runner-pods.ts';
import {
  decided,
  macPool,
  node,
  now,
  observing,
  pod,
  poller,
  pool,
  runner,
  type PodFields,
} from '../../../lab/harness/pool-samples.ts';

const owner = { [labels.runnerPoolOwner.key]: 'acme' };
const revision = (value: string) => ({ [annotations.runtimeClassRevision.key]: value });
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
const scheduled = (seconds: number) => [
  { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(seconds) },
];
const refused = (seconds: number) => [
  { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', lastTransitionTime: ago(seconds) },
];

describe('a Pod', () => {
  it.for([
    ['without a stamp', {}, true],
    ['with an empty stamp', { labels: { [labels.runnerPoolOwner.key]: '' } }, true],
    ['with an owner', { labels: owner }, false],
    ['with an account', { labels: { [labels.runnerAccount.key]: '7' } }, false],
    ['whose poller runs', { status: poller({ running: {} }) }, true],
    ['whose poller has ended', { status: poller({ terminated: { exitCode: 0 } }) }, false],
  ] as const satisfies readonly (readonly [string, PodFields, boolean])[])(
    'idle: %s',
    ([, fields, expected]) => expect(isIdle(pod(fields))).toBe(expected),
  );

  it.for([
    ['the same image', {}, false],
    ['another image', { image: 'old' }, true],
    ['no containers', { containers: [] }, false],
  ] as const satisfies readonly (readonly [string, PodFields, boolean])[])(
    'of an old image: %s',
    ([, fields, expected]) => expect(isStaleImage(pod(fields), pool())).toBe(expected),
  );

  it.for([
    ['the pool names none', pool(), {}, false],
    ['the same', pool({}, revision('1')), { annotations: revision('1') }, false],
    ['another', pool({}, revision('2')), { annotations: revision('1') }, true],
    ['none, where the pool has one', pool({}, revision('2')), {}, true],
    ['a pool without a runtime class', pool({ runtimeClass: undefined }, revision('2')), {}, false],
    [
      'a pool of Macs',
      { ...macPool(), metadata: { ...macPool().metadata, annotations: revision('2') } },
      {},
      false,
    ],
  ] as const)('of an old runtime class: %s', ([, of, fields, expected]) =>
    expect(isStaleRevision(pod(fields), of)).toBe(expected),
  );

  it('is warm on a Mac when it runs, and on Linux when its poller does', () => {
    const running = pod({ status: { phase: 'Running' } });
    const polling = pod({ status: poller({ running: {} }) });
    expect([isWarm(running, macPool()), isWarm(polling, macPool())]).toEqual([true, false]);
    expect([isWarm(running, pool()), isWarm(polling, pool())]).toEqual([false, true]);
    expect([isProvisioning(pod()), isProvisioning(polling)]).toEqual([true, false]);
  });

  it.for([
    ['exit code 0', runner({ exitCode: 0 }), false],
    ['another exit code', runner({ exitCode: 1 }), true],
    ['a virtual machine that ended by itself', runner({ exitCode: 0, reason: 'TartRunExited' }), true],
    ['failed for an unknown reason', { phase: 'Failed' }, true],
    ['running', { phase: 'Running' }, false],
  ] as const)('abnormal end: %s', ([, status, expected]) =>
    expect(isAbnormalEnd(pod({ status }))).toBe(expected),
  );
});

const warm = poller({ running: {} });
const busy = { labels: owner };

describe('a pool', () => {
  it.for<readonly [string, Partial<Observed>, readonly string[]]>([
    ['creates missing Pods', { pods: [] }, ['create', 'create']],
    ['creates nothing when no Pod is missing', { pods: [pod({ status: warm }), pod(busy)] }, []],
    ['counts created Pods that are not yet in the cache', { pods: [pod()], unseen: ['x'] }, []],
    [
      'does not count Pods being deleted',
      { pods: [pod({ status: warm }), pod({ deletedAt: ago(1) })] },
      ['create'],
    ],
    [
      'replaces ended Pods',
      { pods: [pod(), pod({ status: { phase: 'Succeeded' } })] },
      ['retire ended', 'create'],
    ],
    [
      'removes surplus idle Pods',
      { pods: [pod(busy), pod({ status: warm }), pod({ status: warm })] },
      ['retire surplus'],
    ],
    ['removes no busy Pod, however many exist', { pods: [pod(busy), pod(busy), pod(busy)] }, []],
    [
      'removes no Pod whose poller has ended, stamped or not',
      { pool: pool({ replicas: 0 }), pods: [pod({ status: poller({ terminated: { exitCode: 0 } }) })] },
      [],
    ],
    [
      'keeps busy Pods with an old image',
      { pods: [pod({ ...busy, image: 'old' }), pod({ status: warm })] },
      [],
    ],
    [
      'keeps busy Pods with an old runtime class',
      { pool: pool({}, revision('2')), pods: [pod(busy), pod({ status: warm, annotations: revision('2') })] },
      [],
    ],
    [
      'rolls an old image one at a time',
      { pods: [pod({ image: 'old', status: warm }), pod({ image: 'old', status: warm })] },
      ['retire old-template'],
    ],
    [
      'rolls an old runtime class one at a time',
      { pool: pool({}, revision('2')), pods: [pod({ status: warm }), pod({ status: warm })] },
      ['retire old-template'],
    ],
    ['waits for a new Pod that is not ready', { pods: [pod({ image: 'old', status: warm }), pod()] }, []],
    ['waits for a Pod that is not replaced', { pods: [pod({ image: 'old', status: warm })] }, ['create']],
    [
      'marks a Mac with an old image',
      {
        pool: macPool(),
        pods: [pod({ image: 'old', status: { phase: 'Running' } }), pod({ status: { phase: 'Running' } })],
      },
      ['mark'],
    ],
    [
      'waits for a marked Pod',
      {
        pool: macPool(),
        pods: [
          pod({ image: 'old', status: { phase: 'Running' }, labels: { [labels.drainEligible.key]: 'true' } }),
          pod({ image: 'old', status: { phase: 'Running' } }),
        ],
      },
      [],
    ],
    [
      'removes a Pod that does not start in time',
      {
        pods: [
          pod({ nodeName: 'a', status: { phase: 'Pending', conditions: scheduled(300) } }),
          pod({ status: warm }),
        ],
      },
      ['retire start-timeout'],
    ],
    [
      'waits for a Pod that may still start',
      {
        pods: [
          pod({ nodeName: 'a', status: { phase: 'Pending', conditions: scheduled(299) } }),
          pod({ status: warm }),
        ],
      },
      [],
    ],
    [
      'waits without limit if configured',
      {
        pool: pool({ provisioning: { maxConcurrentPerFleetSelector: 4, startTimeoutSeconds: 0 } }),
        pods: [
          pod({ nodeName: 'a', status: { phase: 'Pending', conditions: scheduled(9999) } }),
          pod({ status: warm }),
        ],
      },
      [],
    ],
    [
      'never times out a Mac',
      {
        pool: macPool(),
        pods: [pod({ nodeName: 'a', status: { phase: 'Pending', conditions: scheduled(9999) } }), pod()],
      },
      [],
    ],
    [
      'removes an unschedulable Pod',
      { pods: [pod({ status: { phase: 'Pending', conditions: refused(300) } }), pod({ status: warm })] },
      ['retire unschedulable'],
    ],
    [
      'does not time out a busy Pod without a stamp',
      {
        pods: [
          pod({
            nodeName: 'a',
            status: { ...poller({ terminated: { exitCode: 0 } }), conditions: scheduled(9999) },
          }),
          pod({ status: warm }),
        ],
      },
      [],
    ],
    [
      'reports an ended Pod that others removed',
      { pods: [pod({ deletedAt: ago(1), status: { phase: 'Failed' } }), pod({ status: warm }), pod(busy)] },
      ['report'],
    ],
    [
      'reports a Pod that should be gone for a minute',
      { pods: [pod({ deletedAt: ago(60), status: { phase: 'Running' } }), pod({ status: warm }), pod(busy)] },
      ['report'],
    ],
    [
      'does not report a Pod that may still be busy',
      { pods: [pod({ deletedAt: ago(59), status: { phase: 'Running' } }), pod({ status: warm }), pod(busy)] },
      [],
    ],
    ['creates one Pod slowly when Pods end early', { pods: [], earlyEnds: Array(5).fill(now) }, ['create']],
    [
      'does not create the next at once',
      { pods: [], earlyEnds: Array(5).fill(now), lastMadeAt: now - 29_000 },
      [],
    ],
  ])('%s', ([, observed, expected]) => {
    expect(decided(observing(observed))).toEqual(expected);
  });

  it.for<readonly [string, Partial<Observed>, readonly string[]]>([
    ['loses its finalizer when nothing is left', {}, ['remove-finalizer']],
    ['waits for created Pods that are not yet in the cache', { unseen: ['x'] }, []],
    ['removes its last account', { accounts: [{ metadata: pod().metadata }] }, ['sweep']],
  ])('that is deleted %s', ([, observed, expected]) => {
    const { metadata, spec } = pool();
    const deleted = { spec, metadata: { ...metadata, deletionTimestamp: ago(1) } };
    expect(decided(observing({ pool: deleted, pods: [], ...observed }))).toEqual(expected);
  });

  it('limits the removals of a pass, and notes so', () => {
    const ended = Array.from({ length: 30 }, () => pod({ status: { phase: 'Succeeded' } }));
    const { actions, notes } = plan(observing({ pool: pool({ replicas: 0 }), pods: ended }));
    expect(actions).toHaveLength(25);
    expect(notes).toContainEqual(expect.objectContaining({ reason: 'Progressing' }));
  });

  it.for([
    ['a Node that accepts Pods', { nodes: [node('a')] }, 2, 'ReplicasMissing'],
    ['no Node', { nodes: [] }, 0, 'NoHealthyNode'],
    ['a cordoned Node', { nodes: [node('a', { unschedulable: true })] }, 0, 'NoHealthyNode'],
    ['a Node without Ready', { nodes: [node('a', {}, [])] }, 0, 'NoHealthyNode'],
    [
      'a Node with memory pressure',
      { nodes: [node('a', {}, ['Ready', 'MemoryPressure'])] },
      0,
      'NoHealthyNode',
    ],
    ['unknown Nodes', { nodes: undefined }, 0, 'FleetViewError'],
    ['the cap reached', { podsOf: () => [pod(), pod(), pod(), pod()] }, 0, 'FleetCap'],
    ['the cap reached but for one', { podsOf: () => [pod(), pod()], unseen: () => 1 }, 1, 'FleetCap'],
    [
      'the cap reached by polling Pods',
      { podsOf: () => Array(9).fill(pod({ status: warm })) },
      2,
      'ReplicasMissing',
    ],
  ] as const satisfies readonly (readonly [string, Partial<Observed['fleet']>, number, string])[])(
    'on a fleet with %s',
    ([, fleet, creations, reason]) => {
      const observed = observing({ pods: [] });
      const { actions, notes } = plan({ ...observed, fleet: { ...observed.fleet, ...fleet } });
      expect(actions.filter(({ kind }) => kind === 'create')).toHaveLength(creations);
      expect(notes[0]?.reason).toBe(reason);
    },
  );

  it('the smallest cap of the pools on the same Nodes counts', () => {
    const observed = observing({ pods: [], pool: pool({ replicas: 9 }) });
    const strict = pool({ provisioning: { maxConcurrentPerFleetSelector: 1, startTimeoutSeconds: 300 } });
    const fleet = { ...observed.fleet, pools: [observed.pool, strict], podsOf: () => [] };
    expect(decided({ ...observed, fleet })).toEqual(['create']);
  });

  it('is reconciled soon again if the fleet prevents Pods', () => {
    const observed = observing({ pods: [] });
    expect(plan({ ...observed, fleet: { ...observed.fleet, nodes: [] } }).requeueAt).toBe(now + 5000);
    expect(plan(observing({})).requeueAt).toBe(now + 60_000);
  });
});
